/// The classification of a finding: a leak, a resolved leak, or no leak.
public enum LeakState: String, Sendable, CaseIterable {
  /// A leak.
  case leaked
  /// A running task holds an instance that was expected to be deallocated.
  ///
  /// Only a monitor that searches for retain paths reports this state: see `RetainPaths`.
  ///
  /// If the task ends, the monitor reports `.late`; if it never ends, the object is leaked. The two
  /// cases are indistinguishable when the grace period ends, so this state fails a test like
  /// `.leaked`. If a task is slow, use a longer grace period.
  case retainedByRunningTask
  /// The monitor reported a leak, and its objects were deallocated after the grace period.
  case late
  /// A leak that `allowLeaks` permits.
  case allowed
  /// Objects that the program marked as long-lived account for the excess.
  case longLived

  /// Whether this state fails tests and counts as a leak: the check found a leak, no exemption
  /// covers it, and its objects have not been deallocated late.
  public var isFailure: Bool {
    switch self {
    case .leaked, .retainedByRunningTask: true
    case .late, .allowed, .longLived: false
    }
  }
}

/// The kind of leak that a check found, with its numbers.
public enum LeakFinding: Sendable, Equatable {
  /// More instances than allowed throughout the grace period `after`, which is nil if there was
  /// none.
  case excess(after: Duration?)
  /// An instance that should have been deallocated within the grace period `after`, but was not.
  case survivor(after: Duration)
  /// More instances after each repetition than before it. The values are the count before the first
  /// repetition, then the count after each.
  case growth([Int])
  /// An unbinding of an instance that is registered as long-lived: see `BindingAnalyzer`.
  case unbinding

  /// The kind of an observation, without its numbers.
  enum Kind: String, CaseIterable {
    case excess, survivor, growth, unbinding

    /// Whether a report is about one instance, and not about the number of instances of its class.
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

  /// Whether the report is about one instance, and not about the number of instances of its class.
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

/// The identity of a leak across runs: the kind of its finding, and its class or group.
///
/// It contains no address, line or count, so it is the same in every run and every build. Private
/// or local classes with the same name and the same enclosing type share a fingerprint; all classes
/// of a group share the group's fingerprint. As text: "excess App.Session" or "excess group
/// Checkout".
public struct LeakFingerprint: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The fingerprint as text, such as "excess App.Session".
  public let text: String

  /// Creates a fingerprint from its text, such as "excess App.Session".
  public init(text: String) { self.text = text }

  package init(_ finding: LeakFinding, typeName: String, group: String?) {
    text = "\(finding.kind.rawValue) \(Self.subject(typeName: typeName, group: group))"
  }

  /// The class or the group of a leak, as fingerprints name it.
  static func subject(typeName: String, group: String?) -> String {
    group.map { "group \($0)" } ?? nameWithoutAddresses(typeName)
  }

  /// Whether each report with this fingerprint is about one instance.
  var isOfOneInstance: Bool {
    LeakFinding.Kind.allCases.contains { $0.isOfOneInstance && text.hasPrefix("\($0.rawValue) ") }
  }

  /// The fingerprint as text, the same as `text`.
  public var description: String { text }

  /// Returns whether the text of `lhs` sorts before the text of `rhs`.
  public static func < (lhs: LeakFingerprint, rhs: LeakFingerprint) -> Bool { lhs.text < rhs.text }
}

/// Returns the name of a type without parts such as "(unknown context at $7f12ab).", which differ
/// in every run.
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
  /// The number of live instances at that time.
  public var liveCount: Int

  /// Creates a sample.
  ///
  /// - Parameters:
  ///   - time: The time since the monitor was created.
  ///   - liveCount: The number of live instances at that time.
  public init(time: Duration, liveCount: Int) {
    self.time = time
    self.liveCount = liveCount
  }

  init(_ node: JSONNode) throws(JSONError) {
    guard case .list(let pair) = node.content, pair.count == 2,
      case .number(let seconds) = pair[0].content, case .number(let number) = pair[1].content,
      JSONText.durations ~= seconds, let count = JSONText.exact(number), count >= 0
    else {
      throw JSONError(
        offset: node.offset, expected: "a pair of seconds and a count, such as [0.5,2]")
    }
    self.init(time: .seconds(seconds), liveCount: count)
  }

  var json: String { "[\(JSONText.seconds(time)),\(JSONText.count(liveCount))]" }
}

/// The overhead of a monitor since it was created.
public struct MonitorCost: Sendable, Equatable {
  /// The number of validated objects and of lifetime tokens.
  public var validations: Int
  /// The number of captured backtraces, at most one for each validation or token.
  public var backtraces: Int
  /// The time spent in validations and in creating tokens, without the time that reports take.
  ///
  /// This is an estimate from a sample: the monitor times every validation that it records, and one
  /// in 64 of all validations, beginning with the first. It times tokens the same way.
  public var total: Duration

  /// Creates a cost.
  ///
  /// - Parameters:
  ///   - validations: The number of validated objects and of lifetime tokens.
  ///   - backtraces: The number of captured backtraces.
  ///   - total: The time spent in validations and in creating tokens.
  public init(validations: Int = 0, backtraces: Int = 0, total: Duration = .zero) {
    self.validations = validations
    self.backtraces = backtraces
    self.total = total
  }

  init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "the cost of a monitor")
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
