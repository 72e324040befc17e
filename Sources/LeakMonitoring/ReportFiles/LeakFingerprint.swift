import RuntimeInspection

/// What makes two reports the same leak: what was seen, and of which class or group.
///
/// The same in every run and every build: it has no address, no line and no count in it. Private or local
/// classes of one name and one surrounding type share theirs; of a group it does not matter which of its
/// classes was one too many. As text, "excess App.Session" or "excess group Checkout".
public struct LeakFingerprint: Hashable, Sendable {
  public let text: String

  /// Of text from a file that holds fingerprints.
  public init(text: String) { self.text = text }

  public init(of leak: LeakReport) {
    self.init(leak.finding, typeName: leak.typeName, group: leak.group)
  }

  init(_ finding: LeakFinding, typeName: String, group: String?) {
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
