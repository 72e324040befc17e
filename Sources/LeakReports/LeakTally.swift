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

/// The reports of one leak that still hold, each by the number of instances above what is right.
struct StandingReports: Sendable, Equatable {
  /// How often one of so many instances.
  private var counts: [Int: Int] = [:]
  /// How many reports.
  private(set) var count = 0
  /// The most instances that one of them is of; 0 if there is none.
  private(set) var greatest = 0

  mutating func add(_ excess: Int) {
    counts[excess, default: 0] += 1
    count += 1
    greatest = max(greatest, excess)
  }

  /// One that was reported before the file began is not taken from the others.
  ///
  /// - Complexity: amortised O(1) in the instances that are made: `greatest` falls by no more than it rose.
  ///   At most O(*n*) in the different numbers that were reported.
  mutating func remove(_ excess: Int) {
    guard let held = counts[excess] else { return }
    counts[excess] = held > 1 ? held - 1 : nil
    count -= 1
    if held == 1, excess == greatest { lowerGreatest() }
  }

  private mutating func lowerGreatest() {
    // One by one, as instances come; but a jump down costs no more than a look at all.
    let below = stride(from: greatest - 1, to: max(0, greatest - 1 - counts.count), by: -1)
    greatest = below.first { counts[$0] != nil } ?? counts.keys.max() ?? 0
  }
}
