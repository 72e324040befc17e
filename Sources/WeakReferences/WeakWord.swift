import Primitives

/// A weak reference in one word, retained and released by hand: for the slots that threads share.
///
/// On Linux the word is the object's address and holds the object's memory, dead or alive; see
/// `UnownedCount`. For large instances, on other systems and with the trait `WeakBoxes`, the word is the
/// address of a `WeakBox` with bit 0 set. The word is never 0, and bits 1 to 3 are free for the structure
/// that contains it.
///
/// Any number of threads may use one word concurrently, also while its object dies. The owner releases it
/// when no thread can find it any more.
///
/// The queries are inlinable because they are larger than what cross-module optimization inlines by itself.
public struct WeakWord: Equatable, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Refers to the object of `element`, a value of a reference type, which the caller keeps alive
  /// meanwhile, until `release`.
  @inline(__always)
  public init<Element>(_ element: Element) {
    #if os(Linux) && !WeakBoxes && !Interleaving
      if let address = UnownedCount.retain(element) {
        self.init(rawValue: address)
        return
      }
    #endif
    self.init(boxing: withUnsafeBytes(of: element) { $0.load(as: AnyObject.self) })
  }

  /// Refers to `object` through a box.
  ///
  /// Every word does under a managed scheduler, which detects a box that is used after free, freed twice
  /// or leaked, and could not detect that of an object.
  @inline(never)
  init(boxing object: AnyObject) {
    let box = NodeMemory.allocate(WeakBox.self)
    box.writing().initialize(to: WeakBox(object))
    rawValue = UInt(bitPattern: box) | 1
  }

  /// The object, kept alive by the result; nil once its `deinit` has begun.
  @inlinable @inline(__always)
  public func promote() -> AnyObject? { promoteUnmanaged()?.takeRetainedValue() }

  /// `promote` for those who put the reference into memory themselves: they own it.
  @inlinable @inline(__always)
  public func promoteUnmanaged() -> Unmanaged<AnyObject>? {
    #if os(Linux) && !WeakBoxes
      if rawValue & 1 == 0 { return UnownedCount.promote(rawValue) }
    #endif
    return promoteBoxed().map(Unmanaged.passRetained)
  }

  /// Whether the object is the living one `identity`, which the caller keeps alive.
  ///
  /// Releases nothing that the caller does not hold too: it may be asked under a lock or a pin.
  @inlinable @inline(__always)
  public func refers(to identity: ObjectIdentity) -> Bool {
    #if os(Linux) && !WeakBoxes
      if rawValue & 1 == 0 {
        return rawValue == identity.address && !UnownedCount.isDead(rawValue)
      }
    #endif
    return boxRefers(to: identity)
  }

  /// Whether the `deinit` of the object has begun.
  ///
  /// A box has to promote to know that; what lives is added to `promoted`, to be released where a `deinit`
  /// may run.
  @inlinable @inline(__always)
  public func isDead(promoted: inout PromotedObjects) -> Bool {
    #if os(Linux) && !WeakBoxes
      if rawValue & 1 == 0 { return UnownedCount.isDead(rawValue) }
    #endif
    return !promote(into: &promoted)
  }

  /// Keeps the object alive as long as `promoted`; returns false if its `deinit` has begun.
  @inlinable @inline(__always)
  public func promote(into promoted: inout PromotedObjects) -> Bool {
    guard let object = promote() else { return false }
    promoted.add(object)
    return true
  }

  /// Ends the reference. Runs no user code: it frees a dead object's memory, or a box, at most.
  public func release() {
    #if os(Linux) && !WeakBoxes
      if rawValue & 1 == 0 { return UnownedCount.release(rawValue) }
    #endif
    box.writing().deinitialize(count: 1)
    NodeMemory.deallocate(box)
  }

  @usableFromInline @inline(never)
  func promoteBoxed() -> AnyObject? {
    ManagedScheduler.step()
    return WeakBox.promote(at: box.reading())
  }

  @usableFromInline @inline(never)
  func boxRefers(to identity: ObjectIdentity) -> Bool {
    WeakBox.refers(at: box.reading(), to: identity)
  }

  private var box: UnsafeMutablePointer<WeakBox> {
    UnsafeMutablePointer(bitPattern: rawValue & ~1)!
  }
}

/// A `weak` variable with the identity of its object.
///
/// The object gets a side table. Boxes are for objects whose memory must not be held, and for systems whose
/// runtime has no readable unowned counts; see `UnownedCount`.
///
/// The functions take a pointer: a method would first copy `self`, and to copy a `weak` variable costs as
/// much as to promote it.
struct WeakBox {
  private weak let object: AnyObject?
  /// The address of a dead object may be another's.
  private let identity: ObjectIdentity

  init(_ object: AnyObject) {
    self.object = object
    identity = ObjectIdentity(of: object)
  }

  /// The object, kept alive by the result; nil once its `deinit` has begun.
  static func promote(at pointer: UnsafePointer<WeakBox>) -> AnyObject? {
    pointer.pointee.object
  }

  /// Whether the object is the living one `identity`, which the caller keeps alive.
  static func refers(at pointer: UnsafePointer<WeakBox>, to identity: ObjectIdentity) -> Bool {
    pointer.pointee.identity == identity && pointer.pointee.object != nil
  }
}

/// The identity of the object that a value refers to. Does not retain the object.
public struct ObjectIdentity: Equatable, Sendable {
  @usableFromInline
  let address: UInt

  /// - Parameter element: a value of a reference type, which begins with the object's address.
  @inline(__always)
  public init<Element>(of element: Element) {
    address = withUnsafeBytes(of: element) { $0.load(as: UInt.self) }
  }
}

/// Strong references that were taken only to find out whether their objects live.
///
/// Each may be the last one by now. They are released with this value, whose scope must end where a
/// `deinit` may run: outside locks and pins.
public struct PromotedObjects {
  private var objects: [AnyObject] = []

  public init() {}

  public mutating func add(_ object: AnyObject) {
    objects.append(object)
  }
}

// @unchecked: nobody gets at the objects again; they are only released, which any thread may do.
extension PromotedObjects: @unchecked Sendable {}
