/// Whether a finding is a leak.
public enum LeakState: String, Sendable, CaseIterable {
  /// A leak.
  case leaked
  /// A running task holds an instance that was expected to be deallocated, if the monitor searched
  /// for holders: see `RetainPaths`.
  ///
  /// If the task ends, the monitor reports `.late`; a task that never ends is a leak. The two cases
  /// are indistinguishable when the grace period ends, so this state fails whatever `.leaked`
  /// fails. Give a slow task a longer grace period.
  case retainedByRunningTask
  /// The monitor reported a leak whose objects were deallocated after the grace period.
  case late
  /// A leak that `allowLeaks` permits.
  case allowed
  /// Objects that were marked as long-lived account for the excess.
  case longLived

  /// Whether this state fails tests and counts as a leak: the objects outlived their grace period,
  /// and no exemption covers them.
  public var isFailure: Bool {
    switch self {
    case .leaked, .retainedByRunningTask: true
    case .late, .allowed, .longLived: false
    }
  }
}

/// What a check observed.
public enum LeakFinding: Sendable, Equatable {
  /// More instances than allowed, throughout the grace period; nil if there was none.
  case excess(after: Duration?)
  /// An instance that was expected to be deallocated within this time and was not.
  case survivor(after: Duration)
  /// More instances after each repetition: the count before the first, and after each.
  case growth([Int])
  /// An unbinding of an instance that is registered as long-lived: see `BindingAnalyzer`.
  case unbinding

  /// The observation without its figures.
  enum Kind: String, CaseIterable {
    case excess, survivor, growth, unbinding

    /// Whether a report is about one instance and says nothing about the others of its class.
    var isOfOneInstance: Bool { self == .survivor || self == .unbinding }
  }

  var kind: Kind {
    switch self {
    case .excess: .excess
    case .survivor: .survivor
    case .growth: .growth
    case .unbinding: .unbinding
    }
  }

  /// Whether the report is about one instance and says nothing about the others of its class.
  package var isOfOneInstance: Bool { kind.isOfOneInstance }

  init(_ fields: JSONFields) throws(JSONError) {
    let grace = try fields.duration("after")
    switch try fields.needed(fields.name("finding", of: Kind.self), "finding") {
    case .excess: self = .excess(after: grace)
    case .survivor: self = .survivor(after: try fields.needed(grace, "after"))
    case .growth: self = .growth(try fields.needed(fields.counts("counts"), "counts"))
    case .unbinding: self = .unbinding
    }
  }

  var grace: Duration? {
    switch self {
    case .excess(let grace): grace
    case .survivor(let grace): grace
    case .growth, .unbinding: nil
    }
  }

  var counts: [Int]? {
    if case .growth(let counts) = self { counts } else { nil }
  }
}

/// The identity of a leak across runs: what was observed, and of which class or group.
///
/// It contains no address, line or count, so it is the same in every run and every build. Private
/// or local classes of one name and one enclosing type share a fingerprint; all classes of a group
/// share the group's. As text: "excess App.Session" or "excess group Checkout".
public struct LeakFingerprint: Hashable, Sendable, Comparable, CustomStringConvertible {
  public let text: String

  /// Creates a fingerprint from the text that a file holds.
  public init(text: String) { self.text = text }

  package init(_ finding: LeakFinding, typeName: String, group: String?) {
    text = "\(finding.kind.rawValue) \(Self.subject(typeName: typeName, group: group))"
  }

  /// The class or the group that a leak is about.
  static func subject(typeName: String, group: String?) -> String {
    group.map { "group \($0)" } ?? nameWithoutAddresses(typeName)
  }

  /// Whether each report with this fingerprint is about one instance.
  var isOfOneInstance: Bool {
    LeakFinding.Kind.allCases.contains { $0.isOfOneInstance && text.hasPrefix("\($0.rawValue) ") }
  }

  public var description: String { text }

  public static func < (lhs: LeakFingerprint, rhs: LeakFingerprint) -> Bool { lhs.text < rhs.text }
}

/// Returns `name` without parts such as "(unknown context at $7f12ab).", which differ in every run.
package func nameWithoutAddresses(_ name: String) -> String {
  var parts = name.split(separator: "(unknown context at $", omittingEmptySubsequences: false)
  for index in parts.indices.dropFirst() {
    parts[index] = parts[index].drop { $0 != "." }.dropFirst()
  }
  return parts.joined()
}

/// The number of live instances at one moment.
public struct CountSample: Sendable, Equatable {
  /// The time since the monitor was created.
  public var time: Duration
  public var liveCount: Int

  public init(time: Duration, liveCount: Int) {
    self.time = time
    self.liveCount = liveCount
  }

  init(_ node: JSONNode) throws(JSONError) {
    guard case .list(let pair) = node.content, pair.count == 2,
      case .number(let seconds) = pair[0].content, case .number(let number) = pair[1].content,
      JSONText.durations ~= seconds, let count = JSONText.exact(number), count >= 0
    else {
      throw JSONError(offset: node.offset, expected: "a pair of seconds and a count, as in [0.5,2]")
    }
    self.init(time: .seconds(seconds), liveCount: count)
  }

  var json: String { "[\(JSONText.seconds(time)),\(JSONText.count(liveCount))]" }
}

/// The cost of the monitor itself so far.
public struct MonitorCost: Sendable, Equatable {
  /// The number of validated objects and of lifetime tokens.
  public var validations: Int
  /// The number of those for which the monitor captured a backtrace.
  public var backtraces: Int
  /// The time spent in validations and in creating tokens, without the time that reports take.
  ///
  /// An estimate: the monitor times everything that it records, and of the rest the first and one
  /// in 64 after it.
  public var total: Duration

  public init(validations: Int = 0, backtraces: Int = 0, total: Duration = .zero) {
    self.validations = validations
    self.backtraces = backtraces
    self.total = total
  }

  init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "what a monitor cost")
    self.init(
      validations: try fields.needed(fields.count("validations"), "validations"),
      backtraces: try fields.needed(fields.count("backtraces"), "backtraces"),
      total: try fields.needed(fields.duration("seconds"), "seconds"))
  }

  var json: String {
    JSONText.object([
      "validations": JSONText.count(validations), "backtraces": JSONText.count(backtraces),
      "seconds": JSONText.seconds(total),
    ])
  }
}
