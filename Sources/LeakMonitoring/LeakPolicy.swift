/// When `validate` reports what it finds, unless it is told itself.
public enum LeakPolicy: Sendable, Equatable {
  /// At once, as published. An instance that is about to be released counts: in `x = C()` the old one
  /// still lives while the new one is initialised.
  case immediate

  /// If there are still too many after a grace period: see `MemoryLeakMonitor.validate`.
  case graced(Duration = .seconds(1))

  /// The grace period; nil if there is none.
  var grace: Duration? {
    switch self {
    case .immediate: nil
    case .graced(let duration): duration
    }
  }
}
