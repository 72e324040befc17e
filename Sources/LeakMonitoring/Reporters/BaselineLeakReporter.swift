import WeakCollections

/// Tells another reporter what is not known, and says at the end what is new, stale or expired.
///
/// A leak that the baseline knows is passed on as `.allowed`, which `.standard` keeps to itself.
public final class BaselineLeakReporter: LeakReporter {
  private let baseline: LeakBaseline
  private let next: any LeakReporter
  private let day: CalendarDay
  private let tally = MutexLock(LeakTally())

  /// An entry that expired before `day` is not known any more.
  public init(
    _ baseline: LeakBaseline, day: CalendarDay = .today, telling next: some LeakReporter = .standard
  ) {
    self.baseline = baseline
    self.day = day
    self.next = next
  }

  public func report(_ leak: LeakReport) {
    let record = LeakRecord(leak, millisecondsSince1970: 0)
    let fingerprint = record.fingerprint
    let (before, after) = tally.write { tally in
      let before = tally.count(of: fingerprint)
      tally.add(record)
      return (before, tally.count(of: fingerprint))
    }
    // What was passed on as allowed was told as no leak, and so is not told as a late one.
    if leak.state == .late, isKnown(fingerprint, before) { return }
    var leak = leak
    if leak.state.isFailure, isKnown(fingerprint, after) { leak.state = .allowed }
    next.report(leak)
  }

  /// What the run came to; to be asked at its end, after `settle()` of the monitor.
  public var judgement: LeakJudgement {
    baseline.judge(tally.read { copy $0 }, on: day)
  }

  private func isKnown(_ fingerprint: LeakFingerprint, _ count: Int) -> Bool {
    guard let entry = baseline.entry(of: fingerprint), count <= entry.count else { return false }
    return entry.expires.map { $0 >= day } ?? true
  }
}

extension LeakReporter where Self == BaselineLeakReporter {
  /// Tells `next` what `baseline` does not know; its `judgement` at the end says what is new or stale.
  public static func baseline(
    _ baseline: LeakBaseline, telling next: some LeakReporter = .standard
  ) -> BaselineLeakReporter {
    BaselineLeakReporter(baseline, telling: next)
  }
}
