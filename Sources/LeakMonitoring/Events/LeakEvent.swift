/// What happens in a monitor.
public enum LeakEvent: Sendable {
  /// An instance with a `LifetimeToken` was made, so long after the monitor.
  case born(AnyClass, at: Duration)
  /// One died.
  case died(AnyClass, at: Duration)
  /// What was reported, by its state.
  case leaked(LeakReport)
  case retainedByRunningTask(LeakReport)
  case late(LeakReport)
  case allowed(LeakReport)
  case longLived(LeakReport)
  /// So many events are missing here, since whoever waits for them was too slow.
  case dropped(Int)

  init(_ report: LeakReport) {
    switch report.state {
    case .leaked: self = .leaked(report)
    case .retainedByRunningTask: self = .retainedByRunningTask(report)
    case .late: self = .late(report)
    case .allowed: self = .allowed(report)
    case .longLived: self = .longLived(report)
    }
  }
}
