import WeakCollections

/// A reporter that any thread may replace.
final class ReporterSlot {
  private let lock: MutexLock<any LeakReporter>

  init(_ reporter: some LeakReporter) {
    lock = MutexLock(reporter)
  }

  var reporter: any LeakReporter {
    get { lock.read { copy $0 } }
    set {
      // The old reporter is the closure's result, so that it is released outside the lock.
      _ = lock.write { reporter in
        let old = reporter
        reporter = newValue
        return old
      }
    }
  }
}

// @unchecked: `lock` alone reaches the reporter, which may be shared.
extension ReporterSlot: @unchecked Sendable {}
