#if Interleaving
  import CShims
  import Synchronization

  // The read-modify-writes of `Atomic`, with the names of the standard library.

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

    /// Adds `operand`. Traps on overflow.
    @discardableResult
    public borrowing func add(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { $0 + operand }
    }

    /// Subtracts `operand`. Traps on overflow.
    @discardableResult
    public borrowing func subtract(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { $0 - operand }
    }

    /// Performs a bitwise AND with `operand`.
    @discardableResult
    public borrowing func bitwiseAnd(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { $0 & operand }
    }

    /// Performs a bitwise OR with `operand`.
    @discardableResult
    public borrowing func bitwiseOr(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { $0 | operand }
    }

    /// Performs a bitwise XOR with `operand`.
    @discardableResult
    public borrowing func bitwiseXor(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { $0 ^ operand }
    }

    /// Stores the smaller one of the value and `operand`.
    @discardableResult
    public borrowing func min(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { Swift.min($0, operand) }
    }

    /// Stores the larger one of the value and `operand`.
    @discardableResult
    public borrowing func max(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { Swift.max($0, operand) }
    }
  }

  extension Atomic where Value == Bool {
    /// Performs a logical AND with `operand`.
    @discardableResult
    public borrowing func logicalAnd(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { $0 && operand }
    }

    /// Performs a logical OR with `operand`.
    @discardableResult
    public borrowing func logicalOr(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { $0 || operand }
    }

    /// Performs a logical XOR with `operand`.
    @discardableResult
    public borrowing func logicalXor(
      _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> (oldValue: Value, newValue: Value) {
      change(ordering, cws_site(file, function, line)) { $0 != operand }
    }
  }

  extension Atomic {
    private borrowing func change(
      _ ordering: AtomicUpdateOrdering, _ site: cws_site, _ operation: (Value) -> Value
    ) -> (oldValue: Value, newValue: Value) {
      let old = update(ordering, site) { Self.encode(operation(Self.decode($0))) }
      let oldValue = Self.decode(old)
      return (oldValue, operation(oldValue))
    }
  }

  /// A reference that is set at most once.
  ///
  /// The interface is that of `Synchronization.AtomicLazyReference`.
  public struct AtomicLazyReference<Instance: AnyObject>: ~Copyable {
    private let reference = Atomic<Unmanaged<Instance>?>(nil)

    /// Creates a reference to nothing.
    public init() {}

    deinit {
      // Relaxed: this is the last use of the reference.
      reference.load(ordering: .relaxed)?.release()
    }

    /// Returns the instance; nil before one is stored.
    public borrowing func load(
      file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) -> Instance? {
      // Acquiring: pairs with the compare-exchange in `storeIfNil`.
      reference.load(ordering: .acquiring, file: file, function: function, line: line)?
        .takeUnretainedValue()
    }

    /// Stores `desired` if there is no instance yet; returns the instance that the reference has
    /// from then on.
    public borrowing func storeIfNil(
      _ desired: consuming Instance, file: StaticString = #fileID,
      function: StaticString = #function, line: UInt32 = #line
    ) -> Instance {
      let offered = Unmanaged.passRetained(desired)
      // Acquiring and releasing: publishes the instance, or makes the other one visible.
      let (exchanged, original) = reference.compareExchange(
        expected: nil, desired: offered, ordering: .acquiringAndReleasing, file: file,
        function: function, line: line)
      if exchanged { return offered.takeUnretainedValue() }
      offered.release()
      return original!.takeUnretainedValue()
    }
  }

  // @unchecked: the reference is atomic and never changes after it is set.
  extension AtomicLazyReference: @unchecked Sendable where Instance: Sendable {}
#endif
