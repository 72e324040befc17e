/// What a run's leaks are beside those that are known.
public struct LeakJudgement: Sendable, Equatable {
  public enum Finding: Sendable, Hashable {
    /// More instances than known, of which there may be none.
    case new(LeakFingerprint, known: Int, found: Int)
    /// Fewer than known: the entry is to be lowered, or removed.
    case stale(LeakFingerprint, known: Int, found: Int)
    /// As known, but not known any more.
    case expired(LeakFingerprint, on: CalendarDay, found: Int)
  }

  /// By fingerprint; each of them fails the run.
  public let findings: [Finding]
  /// How many leaks are exactly as known.
  public let knownCount: Int

  public var isFine: Bool { findings.isEmpty }
}

extension LeakJudgement.Finding: CustomStringConvertible {
  public var fingerprint: LeakFingerprint {
    switch self {
    case .new(let fingerprint, _, _), .stale(let fingerprint, _, _),
      .expired(let fingerprint, _, _):
      fingerprint
    }
  }

  /// One line for people.
  public var description: String {
    switch self {
    case .new(let fingerprint, 0, let found): "new: \(fingerprint): \(found)"
    case .new(let fingerprint, let known, let found):
      "new: \(fingerprint): \(found), of which \(known) \(known == 1 ? "is" : "are") known"
    case .stale(let fingerprint, let known, 0):
      "stale: \(fingerprint): none; remove the entry, which says \(known)"
    case .stale(let fingerprint, let known, let found):
      "stale: \(fingerprint): \(found); lower the entry, which says \(known)"
    case .expired(let fingerprint, let day, let found):
      "expired: \(fingerprint): \(found), known until \(day)"
    }
  }
}

extension LeakJudgement: CustomStringConvertible {
  /// A line for each finding, and one that sums them up.
  public var description: String {
    let lines = findings.map(\.description)
    let counts =
      "\(knownCount) known \(knownCount == 1 ? "leak" : "leaks"), "
      + "\(findings.count) new, stale or expired"
    return (lines + [counts]).joined(separator: "\n")
  }
}
