#if Interleaving
  import CShims
  @_exported public import protocol Synchronization.AtomicOptionalRepresentable
  // The protocols of values in atomics are those of the standard library. Its atomics and its mutex
  // stay hidden here.
  @_exported public import protocol Synchronization.AtomicRepresentable
  public import Synchronization

  // The seam under a managed scheduler. `Plain/PlainSeam.swift` declares the same names for other
  // builds.

  extension ManagedScheduler {
    /// Whether this build can run under a scheduler.
    public static var isCompiledIn: Bool { true }

    /// Returns the scheduler's answer to `question`; nil if no scheduler runs on this thread.
    @inline(__always)
    public static func ask<R>(_ question: (UnsafePointer<cws_scheduler>) -> R) -> R? {
      cws_scheduler_get().map(question)
    }
  }

  // MARK: Atomic

  /// An atomic variable that passes every operation to the scheduler of the calling thread, if any.
  ///
  /// The interface is that of `Synchronization.Atomic`. Without a scheduler every operation is
  /// sequentially consistent, whatever ordering it names. The variable occupies the 64 bits that a
  /// scheduler works on, whatever its type; wider values, such as `WordPair`, trap.
  public struct Atomic<Value: AtomicRepresentable>: ~Copyable
  where Value.AtomicRepresentation: BitwiseCopyable {
    private let word: Synchronization.Atomic<UInt64>

    /// Creates a variable with an initial value.
    public init(_ value: consuming Value) {
      guard MemoryLayout<Value.AtomicRepresentation>.size <= MemoryLayout<UInt64>.size else {
        fatalError(
          "a scheduler works on atomics of at most 64 bits, got \(Value.self); test this code on threads"
        )
      }
      word = Synchronization.Atomic(Self.encode(value))
    }

    deinit {
      // A store that is still in a buffer must not reach this memory after its reuse. The compiler
      // may have moved the variable, so its address does not identify these stores.
      if let scheduler = cws_scheduler_get() { scheduler.pointee.settle() }
      // Relaxed: this is the last reference. As in the standard library, the value ends with it.
      _ = Self.decode(word.load(ordering: .relaxed))
    }

    /// Loads the value.
    public borrowing func load(
      ordering: AtomicLoadOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> Value {
      guard let scheduler = cws_scheduler_get() else {
        return Self.decode(word.load(ordering: .sequentiallyConsistent))
      }
      let site = cws_site(file, function, line)
      return Self.decode(scheduler.pointee.load(address, ordering.rawValue, site))
    }

    /// Stores `value`.
    public borrowing func store(
      _ value: consuming Value, ordering: AtomicStoreOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) {
      let value = Self.encode(value)
      guard let scheduler = cws_scheduler_get() else {
        return word.store(value, ordering: .sequentiallyConsistent)
      }
      scheduler.pointee.store(address, value, ordering.rawValue, cws_site(file, function, line))
    }

    /// Stores `value` and returns the previous value.
    public borrowing func exchange(
      _ value: consuming Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> Value {
      let value = Self.encode(value)
      let old = update(ordering, cws_site(file, function, line)) { _ in value }
      return Self.decode(old)
    }

    /// Stores `desired` if the value equals `expected`; returns whether it did, and the previous
    /// value.
    public borrowing func compareExchange(
      expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering,
      file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) -> (exchanged: Bool, original: Value) {
      compareExchange(
        expected: expected, desired: desired, successOrdering: ordering,
        failureOrdering: ordering.failure, file: file, function: function, line: line)
    }

    /// Stores `desired` if the value equals `expected`; returns whether it did, and the previous
    /// value.
    public borrowing func compareExchange(
      expected: consuming Value, desired: consuming Value, successOrdering: AtomicUpdateOrdering,
      failureOrdering: AtomicLoadOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (exchanged: Bool, original: Value) {
      let expected = Self.encode(expected)
      let desired = Self.encode(desired)
      guard let scheduler = cws_scheduler_get() else {
        let (exchanged, original) = word.compareExchange(
          expected: expected, desired: desired, ordering: .sequentiallyConsistent)
        return (exchanged, Self.decode(original))
      }
      let original = scheduler.pointee.compare_exchange(
        address, expected, desired, successOrdering.rawValue, failureOrdering.rawValue,
        cws_site(file, function, line))
      return (original == expected, Self.decode(original))
    }

    /// Stores `desired` if the value equals `expected`; returns whether it did, and the previous
    /// value. Unlike the operation of the standard library, it never fails spuriously.
    public borrowing func weakCompareExchange(
      expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering,
      file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) -> (exchanged: Bool, original: Value) {
      compareExchange(
        expected: expected, desired: desired, successOrdering: ordering,
        failureOrdering: ordering.failure, file: file, function: function, line: line)
    }

    /// Stores `desired` if the value equals `expected`; returns whether it did, and the previous
    /// value. Unlike the operation of the standard library, it never fails spuriously.
    public borrowing func weakCompareExchange(
      expected: consuming Value, desired: consuming Value, successOrdering: AtomicUpdateOrdering,
      failureOrdering: AtomicLoadOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (exchanged: Bool, original: Value) {
      compareExchange(
        expected: expected, desired: desired, successOrdering: successOrdering,
        failureOrdering: failureOrdering, file: file, function: function, line: line)
    }

    /// Applies `change`, which must have no side effects, and returns the previous word.
    borrowing func update(
      _ ordering: AtomicUpdateOrdering, _ site: cws_site, _ change: (UInt64) -> UInt64
    ) -> UInt64 {
      if let scheduler = cws_scheduler_get() {
        let old = scheduler.pointee.begin_update(address, ordering.rawValue, site)
        scheduler.pointee.end_update(address, change(old))
        return old
      }
      // Relaxed: a guess that the compare-exchange checks.
      var old = word.load(ordering: .relaxed)
      while true {
        let (exchanged, current) = word.compareExchange(
          expected: old, desired: change(old), ordering: .sequentiallyConsistent)
        if exchanged { return old }
        old = current
      }
    }

    // An atomic has a stable address while threads share it; the scheduler identifies it by that
    // address.
    private var address: UnsafeMutablePointer<UInt64> {
      withUnsafePointer(to: word) {
        UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: UInt64.self)
      }
    }

    static func encode(_ value: consuming Value) -> UInt64 {
      let representation = Value.encodeAtomicRepresentation(value)
      var word: UInt64 = 0
      withUnsafeMutableBytes(of: &word) {
        $0.storeBytes(of: representation, as: Value.AtomicRepresentation.self)
      }
      return word
    }

    static func decode(_ word: UInt64) -> Value {
      withUnsafeBytes(of: word) {
        Value.decodeAtomicRepresentation($0.load(as: Value.AtomicRepresentation.self))
      }
    }
  }

  // @unchecked: every access to the word is atomic.
  extension Atomic: @unchecked Sendable where Value: Sendable {}
#endif
