extension LeakReport {
  /// One line for people.
  public var message: String {
    switch state {
    case .leaked: "\(description): \(observation)"
    case .retainedByRunningTask: "\(description): \(observation), retained by a running task"
    case .late: "\(description): \(resolution), later than the grace period"
    case .allowed: "\(description): \(observation) (allowed)"
    case .longLived: "\(description): \(observation) (long-lived)"
    }
  }

  private var observation: String {
    switch finding {
    case .excess(nil):
      "\(excess); if one of them is about to die, as in a reassignment, "
        + "validate(self, grace: .seconds(1)) or MemoryLeakMonitor.policy = .graced() waits for that"
    case .excess(let duration?): "\(excess), still after \(duration)"
    case .survivor(let duration):
      "an instance of \(typeName) is alive, expected to be gone within \(duration)"
    case .growth(let counts):
      "the number of instances of \(typeName) grew with each repetition: "
        + counts.map(String.init).joined(separator: ", ")
    case .unbinding:
      "an instance of \(typeName) was unbound, expected to stay bound since it is long-lived"
    }
  }

  private var excess: String {
    "\(liveCount) \(liveCount == 1 ? "instance" : "instances") of \(counted) "
      + "\(liveCount == 1 ? "is" : "are") alive, expected at most \(max)"
  }

  /// Whose instances are counted.
  private var counted: String { group.map { "the group \($0)" } ?? typeName }

  private var resolution: String {
    switch finding {
    case .excess, .growth: "the instances of \(counted) that were too many are gone"
    case .survivor: "the instance of \(typeName) that was expected to be gone is gone"
    case .unbinding: "the instance of \(typeName) that was unbound is bound"
    }
  }
}
