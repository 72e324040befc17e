import Interleaving
import WeakCollections

/// The common form of all replay strings: one word that needs no quoting in a shell, whose parts
/// are separated by full stops. The parts are the version, `threads` or `schedule`, the parts of
/// the scenario, and the seed or the schedule.
package struct ReplayText {
  /// How to run the scenario.
  package enum Run: Hashable, Sendable {
    /// On real threads, repeatedly. The seed determines the delays of the threads and the bag
    /// capacity, but not the interleaving.
    case threads(seed: UInt64)
    /// Under the managed scheduler, once. The text of the schedule determines the execution.
    case schedule(String)
  }

  var version: String
  var scenario: [String]
  var run: Run

  var text: String {
    switch run {
    case .threads(let seed): ([version, "threads"] + scenario + ["\(seed)"]).joined(separator: ".")
    case .schedule(let schedule):
      ([version, "schedule"] + scenario + [schedule]).joined(separator: ".")
    }
  }

  init(version: String, scenario: [String], run: Run) {
    self.version = version
    self.scenario = scenario
    self.run = run
  }

  /// Reads a text whose scenario has `count` parts.
  ///
  /// - Throws: The reason why the text is malformed.
  init(parsing text: String, version: String, scenarioParts count: Int) throws(ReplayError) {
    let parts = text.split(separator: ".", maxSplits: count + 2, omittingEmptySubsequences: false)
      .map(String.init)
    guard parts[0] == version else {
      let isOurs = parts[0].hasPrefix(version.prefix(2)) && parts[0].count <= 8 && parts.count > 1
      if isOurs { throw .otherVersion(parts[0]) }
      throw .malformed("expected '\(version).' at the start, got '\(parts[0])'")
    }
    guard parts.count == count + 3 else {
      throw .malformed("expected \(count + 3) parts between full stops, got \(parts.count)")
    }
    self.version = version
    scenario = Array(parts[2..<count + 2])
    switch parts[1] {
    case "threads":
      guard let seed = UInt64(parts[count + 2]) else {
        throw .malformed("expected a seed, got '\(parts[count + 2])'")
      }
      run = .threads(seed: seed)
    case "schedule": run = .schedule(parts[count + 2])
    default:
      throw .malformed("expected \(version).threads or \(version).schedule, got '\(parts[1])'")
    }
  }
}

/// A scenario and how to run it: `wc1.threads.COLLECTION.SCENARIO.SEED` or
/// `wc1.schedule.COLLECTION.SCENARIO.SCHEDULE`.
package struct ReplayString: Hashable, Sendable {
  package typealias Run = ReplayText.Run

  /// The version of the format.
  package static let version = "wc1"

  package var scenario: Scenario
  package var run: Run

  package init(_ scenario: Scenario, _ run: Run) {
    self.scenario = scenario
    self.run = run
  }

  /// The text that `init(parsing:)` reads.
  package var text: String {
    ReplayText(
      version: Self.version, scenario: [scenario.collection.rawValue, scenario.text], run: run
    ).text
  }

  /// Creates a replay string from its `text`.
  ///
  /// - Throws: The reason why the text is malformed.
  package init(parsing text: String) throws(ReplayError) {
    let text = try ReplayText(parsing: text, version: Self.version, scenarioParts: 2)
    guard let collection = CollectionKind(rawValue: text.scenario[0]) else {
      let allowed = CollectionKind.allCases.map(\.rawValue).joined(separator: ", ")
      throw .malformed("expected a collection (\(allowed)), got '\(text.scenario[0])'")
    }
    do {
      scenario = try Scenario(parsing: text.scenario[1], for: collection)
    } catch {
      throw .malformed(error.description)
    }
    run = text.run
  }
}

/// The reason why a replay string cannot be replayed.
package enum ReplayError: Error, Equatable, CustomStringConvertible {
  /// The format has another version.
  case otherVersion(String)
  /// The text is not a replay string, or does not fit the subject.
  case malformed(String)
  /// This build does not have the driver, or the subject suspends.
  case unsupported(StressDriver)
  /// The execution cannot follow the schedule: it was recorded with another subject or other code.
  case misfit(decision: Int)

  package var description: String {
    switch self {
    case .otherVersion(let version):
      "the replay string has version \(version), which this program does not read"
    case .malformed(let reason): "malformed replay string: \(reason)"
    case .unsupported(let driver):
      driver.isAvailable
        ? "schedules need a backend that never suspends"
        : "schedules need the trait Interleaving; run "
          + "swift run -c release --traits Interleaving weakstress replay"
    case .misfit(let decision):
      "the execution cannot follow the schedule at decision \(decision); "
        + "was it recorded with this backend and this code?"
    }
  }
}

/// An error in the text of a scenario: the place and the expected text.
package struct ScenarioError: Error, Equatable, CustomStringConvertible {
  /// The message.
  package let description: String
}

// The text of a scenario: `/` separates threads, `,` separates steps. A step consists of its verb's
// letter, its key and its object, as in `g0`, `s0-3`, `p3`, `a`. A `+` after an object makes the
// object re-entrant. Before the steps of a thread, `pin:` means that the thread stays pinned, and
// `born0-2:` means that thread 0 starts the thread before its own step 2.
extension Scenario {
  package var text: String {
    threads.map { thread in
      let birth = thread.birth.map { "born\($0.parent)-\($0.step):" } ?? ""
      let steps = thread.steps.map(text(of:)).joined(separator: ",")
      return birth + (thread.isPinned ? "pin:" : "") + steps
    }.joined(separator: "/")
  }

  private func text(of step: Scenario.Step) -> String {
    let numbers = [step.key, step.object].compactMap { $0.map(String.init) }.joined(separator: "-")
    let isReentrant = step.object.map(reentrant.contains) ?? false
    return step.verb.rawValue + numbers + (isReentrant ? "+" : "")
  }

  package init(parsing text: String, for collection: CollectionKind) throws(ScenarioError) {
    self.init(collection, [])
    for part in text.split(separator: "/", omittingEmptySubsequences: false) {
      threads.append(try parseThread(part))
    }
    if let defect { throw ScenarioError(description: "'\(text)': \(defect)") }
  }

  private mutating func parseThread(_ text: Substring) throws(ScenarioError) -> ThreadPlan {
    var parts = text.split(separator: ":", omittingEmptySubsequences: false)
    var thread = ThreadPlan([])
    if parts.count > 1, parts[0].hasPrefix("born") {
      thread.birth = try Self.parseBirth(parts.removeFirst())
    }
    if parts.count > 1, parts[0] == "pin" {
      thread.isPinned = true
      parts.removeFirst()
    }
    guard parts.count == 1 else {
      throw ScenarioError(description: "expected 'born0-2:' or 'pin:' before steps, got '\(text)'")
    }
    for step in parts[0].split(separator: ",", omittingEmptySubsequences: parts[0].isEmpty) {
      thread.steps.append(try parseStep(step))
    }
    return thread
  }

  private static func parseBirth(_ text: Substring) throws(ScenarioError) -> Birth {
    let numbers = text.dropFirst(4).split(separator: "-").map(number)
    guard numbers.count == 2, let parent = numbers[0], let step = numbers[1] else {
      throw ScenarioError(description: "expected a birth such as 'born0-2', got '\(text)'")
    }
    return Birth(parent: parent, step: step)
  }

  private mutating func parseStep(_ text: Substring) throws(ScenarioError) -> Scenario.Step {
    let isReentrant = text.hasSuffix("+")
    let rest = isReentrant ? text.dropLast() : text
    let arguments = rest.dropFirst()
    let parts = arguments.split(separator: "-", omittingEmptySubsequences: arguments.isEmpty)
    let numbers = parts.map(Self.number)
    guard let verb = Verb(rawValue: String(rest.prefix(1))),
      let operands = verb.operands(in: collection),
      (operands.key ? 1 : 0) + (operands.object ? 1 : 0) == numbers.count,
      numbers.allSatisfy({ $0 != nil }), operands.object || !isReentrant
    else {
      throw ScenarioError(
        description: "expected a step of a \(collection.rawValue), such as "
          + "'\(Self.exampleStep(of: collection))', got '\(text)'")
    }
    let step = Scenario.Step(
      verb, key: operands.key ? numbers[0] : nil, object: operands.object ? numbers.last! : nil)
    if isReentrant { reentrant.insert(step.object!) }
    return step
  }

  private static func exampleStep(of collection: CollectionKind) -> String {
    collection == .dictionary ? "s0-3" : "\(Verb.enter(collection).rawValue)3"
  }

  /// Returns a number of one to four digits, small enough for an index; `nil` for another text.
  private static func number(_ text: Substring) -> Int? {
    guard 1...4 ~= text.count, text.utf8.allSatisfy({ 48...57 ~= $0 }) else { return nil }
    return Int(text)
  }
}

/// A driver of scenarios.
package enum StressDriver: String, CaseIterable, Sendable {
  /// Operating system threads.
  case threads
  /// The managed scheduler.
  case schedules

  /// Whether this build has the driver. Schedules need the trait `Interleaving`.
  package var isAvailable: Bool { self == .threads || Exploration.isAvailable }
}
