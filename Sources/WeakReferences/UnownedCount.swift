#if os(Linux) && !WeakBoxes
  // A weak reference without a side table.
  //
  // A Swift object has a strong and an unowned reference count. When the strong count falls to 0,
  // `deinit` runs. When the unowned count falls to 0, the memory is freed; while the object lives,
  // its unowned count is one higher than the number of unowned references. The first `weak`
  // variable that refers to an object migrates its counts to a side table, where they stay: from
  // then on every retain and release of the object takes a slower path. To avoid that path, a weak
  // reference here is an unowned reference:
  //
  //  - The memory of an object stays allocated while an unowned reference exists, whether the
  //    object lives or not. So its counts stay readable, and no other object gets its address: the
  //    address identifies the object.
  //  - `swift_tryRetain` adds a strong reference unless `deinit` has begun. One atomic operation
  //    decides between the two: a returned object is alive, and a dead object stays dead.
  //  - `swift_isDeallocating` returns whether `deinit` has begun, and writes nothing.
  //
  // Obligations of the caller:
  //  1. `retain` needs an object that the caller keeps alive during the call.
  //  2. A reference is released once, when no thread can read it any more. A shared reference is
  //     retired to an epoch first.
  //  3. `swift_tryRetain` orders only the counts. A thread that finds an address in a slot loads it
  //     with at least acquiring ordering, and so sees the initialized object.
  //
  // The runtime handles the special cases. An immortal object's counts never change, and it never
  // dies. An object that already has a side table keeps its counts there. More than 2^31 unowned
  // references to one object terminate the process with a message.

  import CShims

  /// Returns whether the instance of `object` is at most 1 KiB large, so that it may stay allocated
  /// after its death.
  ///
  /// Uses the instance size of the class, which does not include the tail elements of a
  /// `ManagedBuffer`.
  // Implemented in C. The parameter is the object itself, so the optimizer assumes that it escapes.
  @_silgen_name("cws_is_small")
  private func isSmall(_ object: AnyObject) -> Bool

  /// Operations that hold an object by its unowned count: the object may die, and its memory stays
  /// allocated.
  public enum UnownedCount {
    /// Returns whether an object is held this way. A large one is not: its memory would be wasted.
    @inline(__always)
    static func suits(_ object: AnyObject) -> Bool { isSmall(object) }

    /// Holds the object of `element`, a value of a reference type, and returns its address; returns
    /// nil if the object does not suit.
    ///
    /// Takes the address from the bits of the reference: this retains nothing, and the optimizer
    /// assumes that the object escapes. With a pointer or an `Unmanaged` the optimizer would not
    /// assume that, and could allocate on the stack an object that other code refers to.
    @inline(__always)
    static func retain<Element>(_ element: Element) -> UInt? {
      guard MemoryLayout<Element>.size == MemoryLayout<UInt>.size else {
        return retain(withUnsafeBytes(of: element) { $0.load(as: AnyObject.self) })
      }
      let address = cws_unowned_retain_small(unsafeBitCast(element, to: UInt.self))
      _fixLifetime(element)  // `withExtendedLifetime` would retain the element.
      return address == 0 ? nil : address
    }

    /// Holds the object at `address`, however large it is; returns the size of its instance in
    /// bytes. The word that equals `address` is then a `WeakWord`, which releases it.
    public static func retainMemory(_ address: UInt) -> Int {
      cws_unowned_retain(UnsafeMutableRawPointer(bitPattern: address))
    }

    /// Releases the unowned reference to the object at `address`.
    @inline(__always)
    static func release(_ address: UInt) {
      cws_unowned_release(UnsafeMutableRawPointer(bitPattern: address))
    }

    /// Returns the object at `address`, retained for the caller; nil once its `deinit` has begun.
    @inlinable @inline(__always)
    public static func promote(_ address: UInt) -> Unmanaged<AnyObject>? {
      swift_tryRetain(UnsafeMutableRawPointer(bitPattern: address)).map {
        Unmanaged.fromOpaque($0)
      }
    }

    /// Returns whether `deinit` of the object at `address` has begun.
    @inlinable @inline(__always)
    public static func isDead(_ address: UInt) -> Bool {
      swift_isDeallocating(UnsafeMutableRawPointer(bitPattern: address))
    }
  }
#endif
