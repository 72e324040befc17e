/// The number of leaked instances of each leak of a run, not counting instances that were
/// deallocated late.
///
/// For excess and growth, the number is the largest reported excess over the limit. For survivors
/// and unbindings, it is the number of reports. Allowed and long-lived reports do not count.
///
/// - Complexity: `add` is amortized O(1) and `count(of:)` is O(1), however many reports there were.
public struct LeakTally: Sendable, Equatable {
  private var reports: [LeakFingerprint: StandingReports] = [:]

  /// Creates a tally without leaks.
  public init() {}

  /// Creates a tally of `records`, which must be in the order in which the monitor reported them.
  public init(of records: some Sequence<LeakRecord>) {
    for record in records { add(record) }
  }

  /// Counts `record`; a record in state `.late` removes the report that it resolves.
  public mutating func add(_ record: LeakRecord) {
    let fingerprint = record.fingerprint
    let excess = Swift.max(1, record.liveCount - record.max)
    switch record.state {
    // Changes the value in place: a copy would cost O(n) in the number of unresolved reports.
    case .leaked, .retainedByRunningTask:
      reports[fingerprint, default: StandingReports()].add(excess)
    case .late:
      reports[fingerprint]?.remove(excess)
      if reports[fingerprint]?.count == 0 { reports[fingerprint] = nil }
    case .allowed, .longLived: return
    }
  }

  /// Returns the number of leaked instances of one leak; 0 if the run does not have this leak.
  public func count(of fingerprint: LeakFingerprint) -> Int {
    guard let standing = reports[fingerprint] else { return 0 }
    return fingerprint.isOfOneInstance ? standing.count : standing.greatest
  }

  /// The number of leaked instances of each leak of the run.
  ///
  /// - Complexity: O(*n*) in the number of leaks.
  public var counts: [LeakFingerprint: Int] {
    Dictionary(uniqueKeysWithValues: reports.keys.map { ($0, count(of: $0)) })
  }
}

/// The reports of one leak that no late deallocation has resolved, by their number of excess
/// instances.
private struct StandingReports: Sendable, Equatable {
  /// The number of reports with each excess.
  private var counts: [Int: Int] = [:]
  /// The number of reports.
  private(set) var count = 0
  /// The largest excess of an unresolved report; 0 if there is none.
  private(set) var greatest = 0

  mutating func add(_ excess: Int) {
    counts[excess, default: 0] += 1
    count += 1
    greatest = max(greatest, excess)
  }

  /// Removes a report of `excess`; does nothing if there is none, as when the report is older than
  /// the file that is read.
  ///
  /// - Complexity: Amortized O(1) over the instances created, because `greatest` falls by at most
  ///   as much as it rose. At most O(*n*) in the number of distinct excesses.
  mutating func remove(_ excess: Int) {
    guard let held = counts[excess] else { return }
    counts[excess] = held > 1 ? held - 1 : nil
    count -= 1
    if held == 1, excess == greatest { lowerGreatest() }
  }

  private mutating func lowerGreatest() {
    // Excesses usually differ by one. The bound limits the number of steps to that of one scan of
    // `counts`.
    let below = stride(from: greatest - 1, to: max(0, greatest - 1 - counts.count), by: -1)
    greatest = below.first { counts[$0] != nil } ?? counts.keys.max() ?? 0
  }
}
