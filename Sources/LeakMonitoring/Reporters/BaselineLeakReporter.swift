import WeakCollections

/// Compares the leaks of a run with a baseline, and passes them to another reporter.
///
/// A leak in the baseline is passed on as `.allowed`, which `.standard` ignores. At the end of the
/// run, `judgement` lists the new, outdated and expired entries.
public final class BaselineLeakReporter: LeakReporter {
  private let baseline: LeakBaseline
  private let next: any LeakReporter
  private let day: CalendarDay
  private let tally = MutexLock(LeakTally())

  /// Creates a reporter that passes reports to `next`; entries that expired before `day` do not
  /// apply.
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
    // A leak that was passed on as allowed is not passed on as a late one.
    if leak.state == .late, isKnown(fingerprint, before) { return }
    var leak = leak
    if leak.state.isFailure, isKnown(fingerprint, after) { leak.state = .allowed }
    next.report(leak)
  }

  /// The result of the run. Read it at the end, after `settle()` of the monitor.
  public var judgement: LeakJudgement {
    baseline.judge(tally.read { copy $0 }, on: day)
  }

  private func isKnown(_ fingerprint: LeakFingerprint, _ count: Int) -> Bool {
    guard let entry = baseline.entry(of: fingerprint), count <= entry.count else { return false }
    return entry.expires.map { $0 >= day } ?? true
  }
}

extension LeakReporter where Self == BaselineLeakReporter {
  /// Passes reports to `next`, those in `baseline` as `.allowed`.
  public static func baseline(
    _ baseline: LeakBaseline, telling next: some LeakReporter = .standard
  ) -> BaselineLeakReporter {
    BaselineLeakReporter(baseline, telling: next)
  }
}
