import LeakMonitoring

/// What is known of a program's classes and groups, from its reports and, in this process, its counts.
struct WatchedLeaks: Sendable {
  /// A class, or a group.
  struct Subject: Sendable {
    let name: String
    var max: Int?
    /// How many leaks died late.
    var late = 0
    var series = CountSeries()
    fileprivate var fingerprints: Set<LeakFingerprint> = []
    /// How many instances are leaks.
    fileprivate(set) var leaked = 0
  }

  private(set) var tally = LeakTally()
  private var subjects: [String: Subject] = [:]
  private var messages: [LeakFingerprint: String] = [:]
  /// When seconds count from, in milliseconds since 1970.
  private var origin: Int?

  init(startedAt origin: Int? = nil) {
    self.origin = origin
  }

  /// Those with the most leaks first, then those of which most live.
  var rows: [Subject] {
    subjects.values.sorted { one, other in
      let (oneLive, otherLive) = (one.series.last ?? 0, other.series.last ?? 0)
      return (other.leaked, otherLive, one.name) < (one.leaked, oneLive, other.name)
    }
  }

  /// The last message of each leak that there is, with its place.
  var leakMessages: [String] {
    tally.counts.keys.sorted().compactMap { messages[$0] }
  }

  /// From the first report, or the start, to the last thing noted.
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
    // The first report of a class tells how it came to that.
    if series.samples.isEmpty {
      for sample in record.history {
        series.append(sample.liveCount, at: seconds - span + sample.time / .seconds(1))
      }
    }
    series.append(record.liveCount, at: seconds)
  }
}

extension LeakRecord {
  /// Whether it says how many of the class or group live: one survivor says nothing of the others, and one
  /// that is late repeats what was told.
  fileprivate var isOfAll: Bool {
    !finding.isOfOneInstance && state != .late
  }
}
