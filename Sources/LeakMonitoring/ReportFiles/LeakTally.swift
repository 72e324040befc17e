/// How many instances each leak of a run comes to, without those that died late.
///
/// Of too many instances, and of growth, it is the greatest number above what is right that was reported;
/// of survivors how many there were. What is allowed or long-lived is no leak and does not count.
public struct LeakTally: Sendable, Equatable {
  /// For each leak the reports that still hold: how often one of so many instances.
  private var reports: [LeakFingerprint: [Int: Int]] = [:]

  public init() {}

  public init(of records: some Sequence<LeakRecord>) {
    for record in records { add(record) }
  }

  public mutating func add(_ record: LeakRecord) {
    let fingerprint = record.fingerprint
    let excess = Swift.max(1, record.liveCount - record.max)
    var counts = reports[fingerprint] ?? [:]
    switch record.state {
    case .leaked: counts[excess, default: 0] += 1
    // One that was reported before the file began is not taken from the others.
    case .late: counts[excess] = counts[excess].flatMap { $0 > 1 ? $0 - 1 : nil }
    case .allowed, .longLived: return
    }
    reports[fingerprint] = counts.isEmpty ? nil : counts
  }

  /// How many instances a leak comes to; 0 if there is none.
  public func count(of fingerprint: LeakFingerprint) -> Int {
    guard let counts = reports[fingerprint] else { return 0 }
    // A survivor is reported alone, so that many reports are many of them.
    return fingerprint.isOfSurvivors ? counts.values.reduce(0, +) : counts.keys.max() ?? 0
  }

  /// The leaks that there are, and how many instances each comes to.
  public var counts: [LeakFingerprint: Int] {
    Dictionary(uniqueKeysWithValues: reports.keys.map { ($0, count(of: $0)) })
  }
}

extension LeakFingerprint {
  fileprivate var isOfSurvivors: Bool { text.hasPrefix("\(LeakFinding.Kind.survivor.rawValue) ") }
}
