import Interleaving
import WeakCollections

/// A scenario and how it was run, on one line that a shell leaves alone:
/// `wc1.threads.COLLECTION.SCENARIO.SEED` or `wc1.schedule.COLLECTION.SCENARIO.SCHEDULE`.
package struct ReplayString: Hashable, Sendable {
  package enum Run: Hashable, Sendable {
    /// On real threads, which the seed delays; repeated, since no seed decides what they do.
    case threads(seed: UInt64)
    /// By a schedule, in the managed scheduler's own text, which decides everything.
    case schedule(String)
  }

  package static let version = "wc1"

  package var scenario: Scenario
  package var run: Run

  package init(_ scenario: Scenario, _ run: Run) {
    self.scenario = scenario
    self.run = run
  }

  package var text: String {
    let scenario = "\(scenario.collection.rawValue).\(scenario.text)"
    return switch run {
    case .threads(let seed): "\(Self.version).threads.\(scenario).\(seed)"
    case .schedule(let schedule): "\(Self.version).schedule.\(scenario).\(schedule)"
    }
  }

  package init(parsing text: String) throws(ReplayError) {
    let parts = text.split(separator: ".", maxSplits: 4, omittingEmptySubsequences: false)
      .map(String.init)
    guard parts[0] == Self.version else {
      let isOurs = parts[0].hasPrefix("wc") && parts[0].count <= 8 && parts.count > 1
      throw isOurs ? .otherVersion(parts[0]) : .malformed("it does not begin with wc1.")
    }
    guard parts.count == 5 else { throw .malformed("it has \(parts.count) of 5 parts") }
    guard let collection = CollectionKind(rawValue: parts[2]) else {
      throw .malformed("there is no collection '\(parts[2])'")
    }
    do {
      scenario = try Scenario(parsing: parts[3], for: collection)
    } catch {
      throw .malformed(error.description)
    }
    run = try Self.run(parts)
  }

  private static func run(_ parts: [String]) throws(ReplayError) -> Run {
    switch parts[1] {
    case "threads":
      guard let seed = UInt64(parts[4]) else { throw .malformed("'\(parts[4])' is no seed") }
      return .threads(seed: seed)
    case "schedule":
      return .schedule(parts[4])
    default:
      throw .malformed("expected wc1.threads or wc1.schedule, got '\(parts[1])'")
    }
  }
}

/// Why a text repeats nothing.
package enum ReplayError: Error, Equatable, CustomStringConvertible {
  case otherVersion(String)
  case malformed(String)
  /// This build has no such driver, or the subject suspends.
  case unsupported(StressDriver)
  /// The scenario cannot do what the schedule decides: it was recorded with another subject or build.
  case misfit(decision: Int)

  package var description: String {
    switch self {
    case .otherVersion(let version):
      "a replay string of version \(version); this program reads \(ReplayString.version)"
    case .malformed(let reason): "no replay string: \(reason)"
    case .unsupported(let driver):
      driver.isAvailable
        ? "this subject suspends, so that no schedule can be replayed"
        : "this build replays no schedules: it lacks the trait Interleaving (scripts/stress has it)"
    case .misfit(let decision):
      "the schedule does not fit from decision \(decision) on; is it of this backend and this code?"
    }
  }
}

/// Why a text is no scenario: where, and what was expected.
package struct ScenarioError: Error, Equatable, CustomStringConvertible {
  package let description: String
}

// Threads are separated by `/`, steps by `,`. A step is its verb's letter, its key and its object, as in
// `g0`, `s0-3`, `p3`, `a`; `+` behind the object makes it re-entrant. Before the steps, `pin:` is a
// thread that stays pinned, `born0-2:` one that thread 0 starts before its step 2.
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

  /// A number as we write it: digits alone, and small enough to index with.
  private static func number(_ text: Substring) -> Int? {
    guard 1...4 ~= text.count, text.utf8.allSatisfy({ 48...57 ~= $0 }) else { return nil }
    return Int(text)
  }
}

/// What runs scenarios: threads of the operating system, or a managed scheduler.
package enum StressDriver: String, CaseIterable, Sendable {
  case threads
  case schedules

  /// Whether this build has the driver: schedules need the trait `Interleaving`.
  package var isAvailable: Bool { self == .threads || Exploration.isAvailable }
}
