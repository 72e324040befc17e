#if !Interleaving
  import Threading

  /// The `Mutex` of the subjects on real threads. ThreadSanitizer understands its lock; on Linux it
  /// reports false races on a contended `Synchronization.Mutex`.
  struct Mutex<Value: Sendable>: Sendable {
    private let value: Monitor<Value>

    init(_ value: Value) { self.value = Monitor(value) }

    func withLock<R, Failure>(
      _ body: (inout Value) throws(Failure) -> R
    ) throws(Failure) -> R {
      try value.change(body)
    }
  }
#endif
