#if os(Linux) && !WeakBoxes
  // A weak reference without a side table.
  //
  // A Swift object has three counts. The strong one falls to 0, and `deinit` runs; the unowned one, which
  // is 1 higher than there are unowned references while the object lives, falls to 0, and its memory
  // is given back. The first `weak` variable moves the counts to a side table, for ever: every retain
  // and release of the object then takes a slower path, four times as slow. So a weak reference here is an
  // unowned one, and
  //
  //  - the memory of the object stays while it is held, whether the object lives or not. So its counts
  //    can be read, and its address is nobody else's: the address is the object's identity;
  //  - `swift_tryRetain` adds a strong reference unless `deinit` has begun, in one atomic operation that
  //    decides between the two: what it returns is alive, and what is dead stays so;
  //  - `swift_isDeallocating` says whether `deinit` has begun, and writes nothing.
  //
  // What callers owe:
  //  1. `retain` is for an object that the caller keeps alive meanwhile.
  //  2. A reference is given up once, when nobody looks at it any more: what threads share is retired to
  //     an epoch first.
  //  3. `swift_tryRetain` orders nothing but the counts: whoever finds an address in a slot loads it with
  //     acquiring ordering at least, and so sees the object whole.
  //
  // The runtime knows of the special cases: an immortal object's counts never change, and it never dies; an
  // object that has a side table already has its counts there; more than 2^31 unowned references to
  // one object end the process with a line that says so.

  import CShims

  /// Whether the memory of `object` is little enough to be held when it is dead: 1 KiB.
  ///
  /// By the size of its class: the elements in the tail of a `ManagedBuffer` are not counted.
  // In C, and declared here with the object itself for a parameter: to the optimizer it escapes.
  @_silgen_name("cws_is_small")
  private func isSmall(_ object: AnyObject) -> Bool

  /// Objects held by their unowned count: they may die, and their memory stays.
  @usableFromInline
  enum UnownedCount {
    /// Whether an object is to be held so; a large one is not, whose memory would be missed.
    @inline(__always)
    static func suits(_ object: AnyObject) -> Bool { isSmall(object) }

    /// Holds the object of `element`, a value of a reference type, and returns its address; nil if it does
    /// not suit.
    ///
    /// The address is that of the reference's bits, for which nothing is retained, and with which the object
    /// escapes as the optimizer sees it. Known by a pointer or as an `Unmanaged` it would not, and objects
    /// that were referred to from elsewhere have been put on the stack.
    @inline(__always)
    static func retain<Element>(_ element: Element) -> UInt? {
      guard MemoryLayout<Element>.size == MemoryLayout<UInt>.size else {
        return retain(withUnsafeBytes(of: element) { $0.load(as: AnyObject.self) })
      }
      let address = cws_unowned_retain_small(unsafeBitCast(element, to: UInt.self))
      _fixLifetime(element)  // As `withExtendedLifetime`, which would retain it.
      return address == 0 ? nil : address
    }

    @inline(__always)
    static func release(_ address: UInt) {
      cws_unowned_release(UnsafeMutableRawPointer(bitPattern: address))
    }

    /// The object at `address`, retained for the caller; nil once its `deinit` has begun.
    @inlinable @inline(__always)
    static func promote(_ address: UInt) -> Unmanaged<AnyObject>? {
      swift_tryRetain(UnsafeMutableRawPointer(bitPattern: address)).map {
        Unmanaged.fromOpaque($0)
      }
    }

    /// Whether `deinit` of the object at `address` has begun.
    @inlinable @inline(__always)
    static func isDead(_ address: UInt) -> Bool {
      swift_isDeallocating(UnsafeMutableRawPointer(bitPattern: address))
    }
  }
#endif
