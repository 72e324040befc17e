#if Interleaving
  import CShims
  // Every build uses the mutex of the standard library. Its atomics stay hidden here.
  @_exported public import struct Synchronization.Mutex
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
  /// scheduler works on, whatever its type.
  public struct Atomic<Value: AtomicRepresentable>: ~Copyable
  where Value.AtomicRepresentation: BitwiseCopyable {
    private let word: Synchronization.Atomic<UInt64>

    /// Creates a variable with an initial value.
    public init(_ value: consuming Value) {
      word = Synchronization.Atomic(Self.encode(value))
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

    /// Applies `change`, which must have no side effects, and returns the previous word.
    fileprivate borrowing func update(
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

    fileprivate static func encode(_ value: consuming Value) -> UInt64 {
      let representation = Value.encodeAtomicRepresentation(value)
      var word: UInt64 = 0
      withUnsafeMutableBytes(of: &word) {
        $0.storeBytes(of: representation, as: Value.AtomicRepresentation.self)
      }
      return word
    }

    fileprivate static func decode(_ word: UInt64) -> Value {
      withUnsafeBytes(of: word) {
        Value.decodeAtomicRepresentation($0.load(as: Value.AtomicRepresentation.self))
      }
    }
  }

  // @unchecked: every access to the word is atomic.
  extension Atomic: @unchecked Sendable where Value: Sendable {}

  extension Atomic where Value: FixedWidthInteger {
    /// Adds `operand` with wraparound.
    @discardableResult
    public borrowing func wrappingAdd(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { $0 &+ operand }
    }

    /// Subtracts `operand` with wraparound.
    @discardableResult
    public borrowing func wrappingSubtract(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { $0 &- operand }
    }

    /// Performs a bitwise OR with `operand`.
    @discardableResult
    public borrowing func bitwiseOr(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { $0 | operand }
    }

    /// Performs a bitwise AND with `operand`.
    @discardableResult
    public borrowing func bitwiseAnd(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { $0 & operand }
    }

    /// Stores the larger one of the value and `operand`.
    @discardableResult
    public borrowing func max(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { Swift.max($0, operand) }
    }

    private borrowing func change(
      _ ordering: AtomicUpdateOrdering, _ site: cws_site, _ operation: (Value) -> Value
    ) -> (oldValue: Value, newValue: Value) {
      let old = update(ordering, site) { Self.encode(operation(Self.decode($0))) }
      let oldValue = Self.decode(old)
      return (oldValue, operation(oldValue))
    }
  }
  // MARK: Orderings

  // `Synchronization` accepts its orderings only as constants. A scheduler needs them as numbers.

  /// The memory ordering of an atomic load.
  public struct AtomicLoadOrdering: Sendable {
    let rawValue: UInt32

    /// No ordering guarantee.
    public static var relaxed: Self { Self(rawValue: UInt32(CWS_RELAXED)) }
    /// Acquire: what precedes the matching releasing store is visible after this load.
    public static var acquiring: Self { Self(rawValue: UInt32(CWS_ACQUIRING)) }
    /// Acquire, and a place in the single total order of sequentially consistent operations.
    public static var sequentiallyConsistent: Self {
      Self(rawValue: UInt32(CWS_SEQUENTIALLY_CONSISTENT))
    }
  }

  /// The memory ordering of an atomic store.
  public struct AtomicStoreOrdering: Sendable {
    let rawValue: UInt32

    /// No ordering guarantee.
    public static var relaxed: Self { Self(rawValue: UInt32(CWS_RELAXED)) }
    /// Release: what precedes this store is visible after a matching acquiring load.
    public static var releasing: Self { Self(rawValue: UInt32(CWS_RELEASING)) }
    /// Release, and a place in the single total order of sequentially consistent operations.
    public static var sequentiallyConsistent: Self {
      Self(rawValue: UInt32(CWS_SEQUENTIALLY_CONSISTENT))
    }
  }

  /// The memory ordering of an atomic read-modify-write.
  public struct AtomicUpdateOrdering: Sendable {
    let rawValue: UInt32

    /// No ordering guarantee.
    public static var relaxed: Self { Self(rawValue: UInt32(CWS_RELAXED)) }
    /// Acquire for the load, relaxed for the store.
    public static var acquiring: Self { Self(rawValue: UInt32(CWS_ACQUIRING)) }
    /// Release for the store, relaxed for the load.
    public static var releasing: Self { Self(rawValue: UInt32(CWS_RELEASING)) }
    /// Acquire for the load and release for the store.
    public static var acquiringAndReleasing: Self {
      Self(rawValue: UInt32(CWS_ACQUIRING_AND_RELEASING))
    }
    /// Acquire and release, and a place in the single total order of sequentially consistent
    /// operations.
    public static var sequentiallyConsistent: Self {
      Self(rawValue: UInt32(CWS_SEQUENTIALLY_CONSISTENT))
    }

    /// The ordering of a failed compare-exchange, derived as in C++.
    var failure: AtomicLoadOrdering {
      switch rawValue {
      case UInt32(CWS_ACQUIRING), UInt32(CWS_ACQUIRING_AND_RELEASING): .acquiring
      case UInt32(CWS_SEQUENTIALLY_CONSISTENT): .sequentiallyConsistent
      default: .relaxed
      }
    }
  }
#endif
