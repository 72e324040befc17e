import StressTesting
import Workloads

/// What a stress run will do, once every option is known to be allowed; nothing has been opened yet.
struct StressPlan: Sendable {
  let cells: [any StressCell]
  let seconds: Double
  let seed: Seed
  /// What is repeated instead of trying what is new.
  let replay: Replay?
  let page: CSVDestination?
  let summary: CSVDestination?

  init(_ options: StressOptions, drawnSeed: Seed) throws(CommandError) {
    let collections = try Selection.collections(options.collection)
    let subjects = try StressSelection.subjects(named: options.backend, of: collections)
    let drivers = try StressSelection.drivers(options.driver)
    seconds = try OptionText("--seconds", options.seconds, allowed: 1...86_400)
      .seconds(otherwise: 30)
    seed = try Self.seed(options.seed, drawn: drawnSeed)
    replay = try Self.replay(options.replay, among: subjects)
    page = try Self.destination("--html", options.html, endings: ["html"])
    summary = try Self.destination("--summary", options.summary, endings: ["csv", "md"])
    let seed = seed.value
    cells = subjects.flatMap { subject in
      drivers.filter { $0.supports(subject) }.map { $0.cell(for: subject, seed: seed) }
    }
    if cells.isEmpty { throw .usage("no schedule can be chosen for a backend that suspends") }
  }

  private static func seed(_ text: String?, drawn: Seed) throws(CommandError) -> Seed {
    guard let text else { return drawn }
    do {
      return try Seed(parsing: text)
    } catch {
      throw .usage("--seed: \(error)")
    }
  }

  /// The one subject of the string's collection; several cannot be meant.
  private static func replay(
    _ text: String?, among subjects: [Subject]
  ) throws(CommandError) -> Replay? {
    guard let text else { return nil }
    do {
      let replay = try ReplayString(parsing: text)
      let fitting = subjects.filter { $0.collection == replay.scenario.collection }
      guard fitting.count == 1 else {
        throw CommandError.usage("--replay needs --backend with the one name printed with it")
      }
      return try Replay(replay, on: fitting[0])
    } catch let error as CommandError {
      throw error
    } catch {
      throw .usage("--replay: \(error)")
    }
  }

  /// What `option` says: a file with one of these endings, which may be there and is then replaced.
  static func destination(
    _ option: String, _ path: String?, endings: [String]
  ) throws(CommandError) -> CSVDestination? {
    guard let path else { return nil }
    guard endings.contains(where: { path.hasSuffix(".\($0)") }) else {
      let allowed = endings.map { "a path that ends in .\($0)" }.joined(separator: " or ")
      throw .usage("\(option) \(path.quotedOnOneLine) (allowed: \(allowed))")
    }
    let destination = CSVDestination.replacing(path: CSVDestination(ofNew: path).name)
    try destination.check()
    return destination
  }
}
