#if Interleaving
  import CShims
  // The mutex is the standard library's in every build; its atomics stay hidden.
  @_exported public import struct Synchronization.Mutex
  public import Synchronization

  // The seam under a managed scheduler; its twin is `Plain/PlainSeam.swift`.

  extension ManagedScheduler {
    /// Whether this build can run under a scheduler.
    public static var isCompiledIn: Bool { true }

    /// Returns the answer of the scheduler that runs on this thread; nil without one.
    @inline(__always)
    public static func ask<R>(_ question: (UnsafePointer<cws_scheduler>) -> R) -> R? {
      cws_scheduler_get().map(question)
    }
  }

  // MARK: Atomic

  /// An atomic variable whose every step goes through the scheduler of this thread, if there is one.
  ///
  /// Used as `Synchronization.Atomic` is. Without a scheduler every operation is sequentially
  /// consistent, whatever it asks for. The word is as wide as a scheduler's, whatever the value.
  public struct Atomic<Value: AtomicRepresentable>: ~Copyable
  where Value.AtomicRepresentation: BitwiseCopyable {
    private let word: Synchronization.Atomic<UInt64>

    public init(_ value: consuming Value) {
      word = Synchronization.Atomic(Self.encode(value))
    }

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

    public borrowing func exchange(
      _ value: consuming Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> Value {
      let value = Self.encode(value)
      let old = update(ordering, cws_site(file, function, line)) { _ in value }
      return Self.decode(old)
    }

    public borrowing func compareExchange(
      expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering,
      file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) -> (exchanged: Bool, original: Value) {
      compareExchange(
        expected: expected, desired: desired, successOrdering: ordering,
        failureOrdering: ordering.failure, file: file, function: function, line: line)
    }

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

    /// Returns the word before; `change` must be free of effects.
    fileprivate borrowing func update(
      _ ordering: AtomicUpdateOrdering, _ site: cws_site, _ change: (UInt64) -> UInt64
    ) -> UInt64 {
      if let scheduler = cws_scheduler_get() {
        let old = scheduler.pointee.begin_update(address, ordering.rawValue, site)
        scheduler.pointee.end_update(address, change(old))
        return old
      }
      var old = word.load(ordering: .relaxed)
      while true {
        let (exchanged, current) = word.compareExchange(
          expected: old, desired: change(old), ordering: .sequentiallyConsistent)
        if exchanged { return old }
        old = current
      }
    }

    // The address of an atomic never changes while it is shared; a scheduler knows it by that.
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

  // @unchecked: as the atomic inside.
  extension Atomic: @unchecked Sendable where Value: Sendable {}

  extension Atomic where Value: FixedWidthInteger {
    @discardableResult
    public borrowing func wrappingAdd(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { $0 &+ operand }
    }

    @discardableResult
    public borrowing func wrappingSubtract(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { $0 &- operand }
    }

    @discardableResult
    public borrowing func bitwiseOr(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { $0 | operand }
    }

    @discardableResult
    public borrowing func bitwiseAnd(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { $0 & operand }
    }

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

  // The orderings of `Synchronization` can be passed on as constants alone; a scheduler wants numbers.

  public struct AtomicLoadOrdering: Sendable {
    let rawValue: UInt32

    public static var relaxed: Self { Self(rawValue: UInt32(CWS_RELAXED)) }
    public static var acquiring: Self { Self(rawValue: UInt32(CWS_ACQUIRING)) }
    public static var sequentiallyConsistent: Self {
      Self(rawValue: UInt32(CWS_SEQUENTIALLY_CONSISTENT))
    }
  }

  public struct AtomicStoreOrdering: Sendable {
    let rawValue: UInt32

    public static var relaxed: Self { Self(rawValue: UInt32(CWS_RELAXED)) }
    public static var releasing: Self { Self(rawValue: UInt32(CWS_RELEASING)) }
    public static var sequentiallyConsistent: Self {
      Self(rawValue: UInt32(CWS_SEQUENTIALLY_CONSISTENT))
    }
  }

  public struct AtomicUpdateOrdering: Sendable {
    let rawValue: UInt32

    public static var relaxed: Self { Self(rawValue: UInt32(CWS_RELAXED)) }
    public static var acquiring: Self { Self(rawValue: UInt32(CWS_ACQUIRING)) }
    public static var releasing: Self { Self(rawValue: UInt32(CWS_RELEASING)) }
    public static var acquiringAndReleasing: Self {
      Self(rawValue: UInt32(CWS_ACQUIRING_AND_RELEASING))
    }
    public static var sequentiallyConsistent: Self {
      Self(rawValue: UInt32(CWS_SEQUENTIALLY_CONSISTENT))
    }

    /// What a failed exchange is ordered by, as C++ derives it.
    var failure: AtomicLoadOrdering {
      switch rawValue {
      case UInt32(CWS_ACQUIRING), UInt32(CWS_ACQUIRING_AND_RELEASING): .acquiring
      case UInt32(CWS_SEQUENTIALLY_CONSISTENT): .sequentiallyConsistent
      default: .relaxed
      }
    }
  }
#endif
