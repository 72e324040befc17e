/// The leaks of a program that are known, so that a run fails for others alone.
///
/// Counts are exact: more is a new leak, and less means that the entry is to be lowered or removed, so that
/// what was mended stays mended. Whoever runs a part of a program's tests has use for a baseline of that
/// part.
public struct LeakBaseline: Sendable, Equatable {
  public struct Entry: Sendable, Equatable {
    public var fingerprint: LeakFingerprint
    /// How many instances; see `LeakTally`.
    public var count: Int
    /// Why it is not mended yet.
    public var reason: String
    /// The last day on which it is known; nil for ever.
    public var expires: CalendarDay?

    public init(
      _ fingerprint: LeakFingerprint, count: Int, reason: String, expires: CalendarDay? = nil
    ) {
      precondition(count >= 1, "expected a count of 1 or more, since none is no leak")
      self.fingerprint = fingerprint
      self.count = count
      self.reason = reason
      self.expires = expires
    }
  }

  /// By fingerprint.
  public let entries: [Entry]

  /// - Precondition: no two of the entries are of one fingerprint.
  public init(_ entries: [Entry]) {
    precondition(
      Set(entries.map(\.fingerprint)).count == entries.count, "expected one entry for each leak")
    self.entries = entries.sorted { $0.fingerprint < $1.fingerprint }
  }

  /// All leaks of a run, to begin with; the reasons of those that `previous` knows are kept, with their
  /// expiry.
  public init(of tally: LeakTally, reason: String, keeping previous: LeakBaseline? = nil) {
    self.init(
      tally.counts.map { fingerprint, count in
        let known = previous?.entry(of: fingerprint)
        return Entry(
          fingerprint, count: count, reason: known?.reason ?? reason, expires: known?.expires)
      })
  }

  public func entry(of fingerprint: LeakFingerprint) -> Entry? {
    entries.first { $0.fingerprint == fingerprint }
  }

  /// Compares what a run came to with what is known; an entry that expired before `day` is so no more.
  public func judge(_ tally: LeakTally, on day: CalendarDay = .today) -> LeakJudgement {
    let found = tally.counts
    let known = entries.compactMap { entry -> LeakJudgement.Finding? in
      let count = found[entry.fingerprint] ?? 0
      if count < entry.count {
        return .stale(entry.fingerprint, known: entry.count, found: count)
      }
      if let expiry = entry.expires, expiry < day {
        return .expired(entry.fingerprint, on: expiry, found: count)
      }
      return count > entry.count
        ? .new(entry.fingerprint, known: entry.count, found: count) : nil
    }
    let unknown = found.filter { entry(of: $0.key) == nil }.map { fingerprint, count in
      LeakJudgement.Finding.new(fingerprint, known: 0, found: count)
    }
    return LeakJudgement(
      findings: (known + unknown).sorted { $0.fingerprint < $1.fingerprint },
      knownCount: entries.count - known.count)
  }
}
