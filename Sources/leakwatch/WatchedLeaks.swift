import LeakReports

/// The state of a program's classes and groups: from its reports and, for the demo, also from its
/// live counts.
struct WatchedLeaks: Sendable {
  /// A class or a group.
  struct Subject: Sendable {
    let name: String
    var max: Int?
    /// The number of late deallocations.
    var late = 0
    var series = CountSeries()
    fileprivate var fingerprints: Set<LeakFingerprint> = []
    /// The number of leaked instances.
    fileprivate(set) var leaked = 0
  }

  private(set) var tally = LeakTally()
  private var subjects: [String: Subject] = [:]
  private var messages: [LeakFingerprint: String] = [:]
  /// The origin of all times, in milliseconds since 1970.
  private var origin: Int?

  init(startedAt origin: Int? = nil) {
    self.origin = origin
  }

  /// Whether no report and no count has arrived.
  var isEmpty: Bool { subjects.isEmpty }

  /// The classes and groups in descending order of their leaks, then of their live instances.
  var rows: [Subject] {
    subjects.values.sorted { one, other in
      let (oneLive, otherLive) = (one.series.last ?? 0, other.series.last ?? 0)
      return (other.leaked, otherLive, one.name) < (one.leaked, oneLive, other.name)
    }
  }

  /// The last message of each leak, with its place.
  var leakMessages: [String] {
    tally.counts.keys.sorted().compactMap { messages[$0] }
  }

  /// The time from the origin, which is the start or the oldest sample of the first report, to the
  /// last sample.
  var seconds: Double {
    subjects.values.compactMap { $0.series.samples.last?.seconds }.max() ?? 0
  }

  mutating func note(_ record: LeakRecord) {
    let name = record.group.map { "group \($0)" } ?? record.typeName
    var subject = subjects[name] ?? Subject(name: name)
    tally.add(record)
    subject.fingerprints.insert(record.fingerprint)
    subject.leaked = subject.fingerprints.reduce(0) { $0 + tally.count(of: $1) }
    if record.state == .late { subject.late += 1 }
    if record.state.isFailure {
      messages[record.fingerprint] = "\(record.fileID):\(record.line): \(record.message)"
    }
    if record.isOfAll {
      subject.max = record.max
      note(record, in: &subject.series)
    }
    subjects[name] = subject
  }

  mutating func note(liveCounts: [String: Int], at seconds: Double) {
    for (name, count) in liveCounts {
      subjects[name, default: Subject(name: name)].series.append(count, at: seconds)
    }
  }

  private mutating func note(_ record: LeakRecord, in series: inout CountSeries) {
    let span = (record.history.last?.time ?? .zero) / .seconds(1)
    let origin = origin ?? record.millisecondsSince1970 - Int(span * 1000)
    self.origin = origin
    let seconds = Double(record.millisecondsSince1970 - origin) / 1000
    // The first report of a class includes the class's history.
    if series.samples.isEmpty {
      for sample in record.history {
        series.append(sample.liveCount, at: seconds - span + sample.time / .seconds(1))
      }
    }
    series.append(record.liveCount, at: seconds)
  }
}

extension LeakRecord {
  /// Whether the record contains the current live count of the class or group. The record of a
  /// survivor contains no such count, and a late record repeats an earlier one.
  fileprivate var isOfAll: Bool {
    !finding.isOfOneInstance && state != .late
  }
}

/// The live counts of one class over time.
///
/// The memory is bounded: a full series removes every second sample.
struct CountSeries: Equatable, Sendable {
  struct Sample: Equatable, Sendable {
    var seconds: Double
    var count: Int
  }

  static let capacity = 512

  private(set) var samples: [Sample] = []
  /// The number of appended counts per sample.
  private var stride = 1
  /// The number of further counts that replace the last sample before a new sample begins.
  private var missing = 0

  var last: Int? { samples.last?.count }

  /// Appends a count. If its time is before that of the last sample, it gets the last sample's
  /// time.
  mutating func append(_ count: Int, at seconds: Double) {
    let sample = Sample(seconds: max(seconds, samples.last?.seconds ?? 0), count: count)
    // The last sample is always the newest.
    if missing > 0 {
      samples[samples.count - 1] = sample
      missing -= 1
    } else {
      samples.append(sample)
      missing = stride - 1
    }
    guard samples.count > Self.capacity else { return }
    samples = samples.indices.filter { $0.isMultiple(of: 2) }.map { samples[$0] }
    stride *= 2
    missing = stride - 1
  }
}
