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
