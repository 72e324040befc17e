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

/// What makes two reports the same leak: what was seen, and of which class or group.
///
/// The same in every run and every build: it has no address, no line and no count in it. Private or local
/// classes of one name and one surrounding type share theirs; of a group it does not matter which of its
/// classes was one too many. As text, "excess App.Session" or "excess group Checkout".
public struct LeakFingerprint: Hashable, Sendable {
  public let text: String

  /// Of text from a file that holds fingerprints.
  public init(text: String) { self.text = text }

  package init(_ finding: LeakFinding, typeName: String, group: String?) {
    let whose = group.map { "group \($0)" } ?? nameWithoutAddresses(typeName)
    text = "\(finding.kind.rawValue) \(whose)"
  }
}

extension LeakFingerprint: CustomStringConvertible {
  public var description: String { text }
}

extension LeakFingerprint: Comparable {
  public static func < (lhs: LeakFingerprint, rhs: LeakFingerprint) -> Bool { lhs.text < rhs.text }
}

extension LeakFinding {
  /// What was seen, without its figures.
  enum Kind: String, CaseIterable {
    case excess, survivor, growth, unbinding
  }

  var kind: Kind {
    switch self {
    case .excess: .excess
    case .survivor: .survivor
    case .growth: .growth
    case .unbinding: .unbinding
    }
  }
}

/// How many instances lived at a time.
public struct CountSample: Sendable, Equatable {
  /// Since the monitor was made.
  public var time: Duration
  public var liveCount: Int

  public init(time: Duration, liveCount: Int) {
    self.time = time
    self.liveCount = liveCount
  }
}

/// What a monitor has cost so far itself.
public struct MonitorCost: Sendable, Equatable {
  /// How many objects were validated or had a token made.
  public var validations: Int
  /// Of how many of those a backtrace was captured.
  public var backtraces: Int
  /// The time in all validations and in making all tokens, as estimated from those that were timed: all that are
  /// recorded, of the others the first and one in 64 after it. What a report takes is not in it.
  public var total: Duration

  public init(validations: Int = 0, backtraces: Int = 0, total: Duration = .zero) {
    self.validations = validations
    self.backtraces = backtraces
    self.total = total
  }
}

/// `name` without the parts such as "(unknown context at $7f12ab).", which differ in every run.
package func nameWithoutAddresses(_ name: String) -> String {
  var parts = name.split(separator: "(unknown context at $", omittingEmptySubsequences: false)
  for index in parts.indices.dropFirst() {
    parts[index] = parts[index].drop { $0 != "." }.dropFirst()
  }
  return parts.joined()
}
