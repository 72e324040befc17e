import StressTesting
import TerminalIO
import WeakCollections

/// The plan of a stress run. Its initializer validates the options, and opens no file.
struct StressPlan: Sendable {
  let cells: [any StressCell]
  let seconds: Double
  let seed: UInt64
  let isQuiet: Bool
  /// The replay; `nil` for a run with new scenarios.
  let replay: Replay?
  let page: OutputDestination?
  let summary: OutputDestination?

  init(_ options: StressOptions, replaying text: String? = nil) throws(CommandError) {
    let collections = try OptionText.choices(
      "collection", options.collection, among: CollectionKind.allCases, named: \.rawValue)
    let subjects = try StressSelection.subjects(named: options.backend, of: collections)
    let drivers = try StressSelection.drivers(options.driver)
    seconds = try OptionText("--seconds", options.seconds, allowed: 1...86_400)
      .seconds(otherwise: 30)
    seed = try OptionText.seed(options.seed)
    isQuiet = options.noProgress
    replay = try Self.replay(text, among: subjects)
    page = try options.html.map { path throws(CommandError) in
      try OutputDestination(replacing: path, option: "--html", endings: ["html"])
    }
    summary = try options.summary.map { path throws(CommandError) in
      try OutputDestination(replacing: path, option: "--summary", endings: ["csv", "md"])
    }
    let threads = try options.threads.map { text throws(CommandError) in
      try OptionText("--threads", text, allowed: 1...64).numbers(otherwise: [])
    }
    let seed = seed
    cells = subjects.flatMap { subject in
      drivers.filter { $0.supports(subject) }.map {
        $0.cell(for: subject, seed: seed, threads: threads)
      }
    }
    if cells.isEmpty {
      throw .usage(
        "--driver schedules cannot run a backend that suspends (allowed: --driver threads)")
    }
  }

  /// Returns the replay of `text` on the subject of its collection, of which there must be only
  /// one.
  private static func replay(
    _ text: String?, among subjects: [Subject]
  ) throws(CommandError) -> Replay? {
    guard let text else { return nil }
    do {
      let replay = try ReplayString(parsing: text)
      let fitting = subjects.filter { $0.collection == replay.scenario.collection }
      guard fitting.count == 1 else {
        throw CommandError.usage(
          "replay needs one --backend of a \(replay.scenario.collection.rawValue), "
            + "got \(fitting.count); use the command that the finding printed")
      }
      return try Replay(replay, on: fitting[0])
    } catch let error as CommandError {
      throw error
    } catch {
      throw .usage("replay: \(error)")
    }
  }
}

/// The subjects and drivers that the options name.
enum StressSelection {
  /// Returns the subjects of the backends that `text` names; of all backends if it is `nil`.
  static func subjects(
    named text: String?, of collections: [CollectionKind]
  ) throws(CommandError) -> [Subject] {
    try OptionText.choices(
      "backend", text,
      among: BackendCatalog.subjects.filter { collections.contains($0.collection) }, named: \.name)
  }

  /// Returns the drivers that `text` names; all drivers of this build if it is `nil`.
  ///
  /// - Throws: A usage error if a name is unknown, or the build lacks the trait of a driver.
  static func drivers(_ text: String?) throws(CommandError) -> [StressDriver] {
    let drivers = try OptionText.choices(
      "driver", text, among: StressDriver.allCases, named: \.rawValue)
    if text == nil { return drivers.filter(\.isAvailable) }
    guard drivers.allSatisfy(\.isAvailable) else {
      throw .usage(
        "--driver schedules needs the trait Interleaving; run "
          + "swift run -c release --traits Interleaving weakstress run --driver schedules")
    }
    return drivers
  }
}
