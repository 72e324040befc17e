/// What an execution did wrong.
public enum Failure: Sendable, Hashable {
  /// A condition of the scenario does not hold.
  case assertion(String)
  /// The process ended by a signal: a trap of Swift's, a fault, an exhausted stack; by itself if the
  /// signal is 0.
  case trap(signal: Int32, message: String)
  case useAfterReclaim(access: Site, reclaim: Site)
  case doubleReclaim(first: Site, second: Site)
  /// A node was given back although an access by another thread did not happen before.
  case reclaimedInUse(access: Site, reclaim: Site)
  /// An access between or beside nodes.
  case strayAccess(Site)
  /// Two accesses, at least one of them a plain write, with neither before the other.
  case dataRace(Site, Site)
  /// Nodes were not given back; the sites of up to eight of them.
  case leak(count: Int, allocations: [Site])
  /// One thread was suspended, and another did not end because of that.
  case lostProgress(String)
  /// Every thread that has not ended waits for another.
  case deadlock(String)
  /// The limit of steps was reached.
  case stepsWithoutEnd
  /// No step was taken for too long.
  case hang
  /// A schedule asks for what this scenario cannot do at that decision.
  case scheduleMismatch(decision: Int)
}

extension Failure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .assertion(let message): message
    case .trap(signal: 0, _): "ended the process"
    case .trap(let signal, let message):
      message.isEmpty ? "ended by signal \(signal)" : "ended by signal \(signal): \(message)"
    case .useAfterReclaim(let access, let reclaim):
      "use after reclaim: \(access) uses what \(reclaim) gave back"
    case .doubleReclaim(let first, let second):
      "double reclaim: \(second) gives back what \(first) gave back"
    case .reclaimedInUse(let access, let reclaim):
      "reclaimed in use: \(reclaim) gives back what \(access) uses, with nothing to order them"
    case .strayAccess(let site): "stray access: \(site) uses memory that is no node"
    case .dataRace(let first, let second):
      "data race: \(first) and \(second), with nothing to order them"
    case .leak(let count, let sites):
      "leak: \(count) nodes were not given back, allocated at "
        + Set(sites.map(\.description)).sorted().joined(separator: ", ")
    case .lostProgress(let message): "lost progress: \(message)"
    case .deadlock(let message): "deadlock: \(message)"
    case .stepsWithoutEnd: "steps without end: the limit of steps was reached"
    case .hang: "hang: no step was taken for too long"
    case .scheduleMismatch(let decision):
      "the schedule does not fit this scenario at decision \(decision)"
    }
  }
}
