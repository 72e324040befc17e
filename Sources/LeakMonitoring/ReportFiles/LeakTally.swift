/// How many instances each leak of a run comes to, without those that died late.
///
/// Of too many instances, and of growth, it is the greatest number above what is right that was reported;
/// of survivors how many there were. What is allowed or long-lived is no leak and does not count. To add a
/// record, and to ask for a count, costs the same however many there were.
public struct LeakTally: Sendable, Equatable {
  private var reports: [LeakFingerprint: StandingReports] = [:]

  public init() {}

  public init(of records: some Sequence<LeakRecord>) {
    for record in records { add(record) }
  }

  public mutating func add(_ record: LeakRecord) {
    let fingerprint = record.fingerprint
    let excess = Swift.max(1, record.liveCount - record.max)
    switch record.state {
    // In place: a copy would cost as much as there are reports.
    case .leaked, .retainedByRunningTask:
      reports[fingerprint, default: StandingReports()].add(excess)
    case .late:
      reports[fingerprint]?.remove(excess)
      if reports[fingerprint]?.count == 0 { reports[fingerprint] = nil }
    case .allowed, .longLived: return
    }
  }

  /// How many instances a leak comes to; 0 if there is none.
  public func count(of fingerprint: LeakFingerprint) -> Int {
    guard let standing = reports[fingerprint] else { return 0 }
    // What is about one instance is reported alone, so that many reports are many of them.
    return fingerprint.isOfOneInstance ? standing.count : standing.greatest
  }

  /// The leaks that there are, and how many instances each comes to.
  public var counts: [LeakFingerprint: Int] {
    Dictionary(uniqueKeysWithValues: reports.keys.map { ($0, count(of: $0)) })
  }
}

extension LeakFingerprint {
  fileprivate var isOfOneInstance: Bool {
    let kinds: [LeakFinding.Kind] = [.survivor, .unbinding]
    return kinds.contains { text.hasPrefix("\($0.rawValue) ") }
  }
}
