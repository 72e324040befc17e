/// What a check of the monitor found.
public struct LeakReport: Sendable {
  /// Whether it is a leak, and if not why it is told.
  public var state: LeakState
  /// What was seen.
  public var finding: LeakFinding
  /// The class with its module, as in "App.Session"; the same in every run.
  public var typeName: String
  /// What the instance that was one too many calls itself; with a grace period, the one whose validation
  /// began the check.
  public var description: String
  /// How many instances lived, that one included.
  public var liveCount: Int
  /// How many the class allows.
  public var max: Int
  /// Where that instance was validated or was expected to die.
  public var site: CallSite
  /// The instances that live, the oldest first, as far as they are known one by one.
  public var survivors: [LeakSurvivor]
  /// How many lived when, as far as that was noted, the oldest first; the last sample is of this report.
  public var history: [CountSample]
  /// The group whose instances were too many, for what is counted by groups.
  public var group: String?
  /// What the monitor cost until this report; nil if it is not known.
  public var monitorCost: MonitorCost?

  /// From what the monitor completes it.
  var subject: LeakSubject?

  public init(
    state: LeakState = .leaked, finding: LeakFinding = .excess(after: nil), typeName: String,
    description: String, liveCount: Int, max: Int, site: CallSite, survivors: [LeakSurvivor] = [],
    history: [CountSample] = [], group: String? = nil, monitorCost: MonitorCost? = nil
  ) {
    self.state = state
    self.finding = finding
    self.typeName = typeName
    self.description = description
    self.liveCount = liveCount
    self.max = max
    self.site = site
    self.survivors = survivors
    self.history = history
    self.group = group
    self.monitorCost = monitorCost
  }

  /// What to report when what this reported is gone.
  var resolvedLate: LeakReport {
    var report = self
    report.state = .late
    return report
  }
}

/// Whether what a check found is a leak.
public enum LeakState: String, Sendable {
  /// It is.
  case leaked
  /// An instance that was expected to be gone is held by a running task, if that was looked for: see
  /// `RetainPaths`. If the task ends, that is told as `.late`; an endless one is a leak. Which of both it is
  /// nobody can know, and its grace is over: so it fails whatever `.leaked` does, in tests and elsewhere, and a
  /// longer grace is the answer to a task that takes its time.
  case retainedByRunningTask
  /// It was reported as one, and is gone now: its objects died, but late.
  case late
  /// It would be, but for `allowLeaks`.
  case allowed
  /// It would be, but for objects that were marked as long-lived.
  case longLived
}

extension LeakState {
  /// Whether it fails tests and counts as a leak: it did not end in its grace, and is not exempt.
  public var isFailure: Bool {
    switch self {
    case .leaked, .retainedByRunningTask: true
    case .late, .allowed, .longLived: false
    }
  }
}

/// What a check saw.
public enum LeakFinding: Sendable, Equatable {
  /// More instances than allowed, during the whole of a grace period; nil if none was granted.
  case excess(after: Duration?)
  /// An instance that was expected to die and did not, for so long.
  case survivor(after: Duration)
  /// More instances after each repetition: the count before the first, and after each.
  case growth([Int])
  /// That an instance was unbound which was registered as long-lived: see `BindingAnalyzer`.
  case unbinding
}

extension LeakFinding {
  /// Whether it is about one instance, and says nothing of the others of its class.
  package var isOfOneInstance: Bool {
    switch self {
    case .survivor, .unbinding: true
    case .excess, .growth: false
    }
  }
}
