import Primitives

/// A weak reference in one word that is retained and released manually, for slots that threads
/// share.
///
/// On Linux the word is the object's address and keeps the object's memory allocated after its
/// death; see `UnownedCount`. For large instances, on other systems, and with the trait `WeakBoxes`
/// or `Interleaving`, the word is the address of a `WeakBox` with bit 0 set. The word is never 0.
/// Bits 1 to 3 are 0, because objects and boxes are aligned to 16 bytes, and are free for the
/// structure that contains the word.
///
/// Any number of threads may use one word concurrently, also while its object dies. The owner
/// releases it when no thread can find it any more.
///
/// The queries are inlinable because they are larger than the functions that cross-module
/// optimization inlines by itself.
public struct WeakWord: Equatable, Sendable {
  /// The bits of the word.
  public let rawValue: UInt

  /// Creates a copy of an existing word, without a reference of its own.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Creates a reference to the object of `element`, which is a value of a reference type. The
  /// reference lasts until `release()`. The caller keeps the object alive during the call.
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

  /// Creates a reference to `object` through a box.
  ///
  /// With the trait `Interleaving` every word uses a box: a managed scheduler detects that a box is
  /// used after free, freed twice or leaked, and cannot detect that for an object.
  @inline(never)
  init(boxing object: AnyObject) {
    let box = NodeMemory.allocate(WeakBox.self)
    box.writing().initialize(to: WeakBox(object))
    rawValue = UInt(bitPattern: box) | 1
  }

  /// Returns the object, retained by the result; nil once its `deinit` has begun.
  @inlinable @inline(__always)
  public func promote() -> AnyObject? { promoteUnmanaged()?.takeRetainedValue() }

  /// Returns the object with a reference that the caller must release; nil once its `deinit` has
  /// begun.
  @inlinable @inline(__always)
  public func promoteUnmanaged() -> Unmanaged<AnyObject>? {
    #if os(Linux) && !WeakBoxes
      if rawValue & 1 == 0 { return UnownedCount.promote(rawValue) }
    #endif
    return promoteBoxed().map(Unmanaged.passRetained)
  }

  /// Returns whether the word refers to the living object `identity`, which the caller keeps alive.
  ///
  /// Releases only references that the caller also holds, so it may be called under a lock or a
  /// pin.
  @inlinable @inline(__always)
  public func refers(to identity: ObjectIdentity) -> Bool {
    #if os(Linux) && !WeakBoxes
      if rawValue & 1 == 0 {
        return rawValue == identity.address && !UnownedCount.isDead(rawValue)
      }
    #endif
    return boxRefers(to: identity)
  }

  /// Returns whether the `deinit` of the object has begun.
  ///
  /// - Parameter promoted: Receives the living object of a box, which has to be promoted for the
  ///   query. Release the value where a `deinit` may run.
  @inlinable @inline(__always)
  public func isDead(promoted: inout PromotedObjects) -> Bool {
    #if os(Linux) && !WeakBoxes
      if rawValue & 1 == 0 { return UnownedCount.isDead(rawValue) }
    #endif
    return !promote(into: &promoted)
  }

  /// Adds the object to `promoted`, which keeps it alive; returns false if its `deinit` has begun.
  @inlinable @inline(__always)
  public func promote(into promoted: inout PromotedObjects) -> Bool {
    guard let object = promote() else { return false }
    promoted.add(object)
    return true
  }

  /// Ends the reference. Runs no user code: it frees at most a dead object's memory or a box.
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
/// The object gets a side table. Boxes are for objects whose memory must not stay allocated after
/// their death, and for systems where the runtime has no readable unowned counts; see
/// `UnownedCount`.
///
/// The functions take a pointer: calling a method would first copy `self`, and copying a `weak`
/// variable costs as much as promoting it.
struct WeakBox {
  private weak let object: AnyObject?
  /// The identity of the object. Another object may get the address of a dead one, so a query also
  /// checks that this object lives.
  private let identity: ObjectIdentity

  init(_ object: AnyObject) {
    self.object = object
    identity = ObjectIdentity(of: object)
  }

  /// Returns the object, retained by the result; nil once its `deinit` has begun.
  static func promote(at pointer: UnsafePointer<WeakBox>) -> AnyObject? {
    pointer.pointee.object
  }

  /// Returns whether the box refers to the living object `identity`, which the caller keeps alive.
  static func refers(at pointer: UnsafePointer<WeakBox>, to identity: ObjectIdentity) -> Bool {
    pointer.pointee.identity == identity && pointer.pointee.object != nil
  }
}

/// The identity of the object that a value refers to. It does not retain the object.
public struct ObjectIdentity: Equatable, Sendable {
  @usableFromInline
  let address: UInt

  /// Creates the identity of an object.
  ///
  /// - Parameter element: A value of a reference type, whose first word is the object's address.
  @inline(__always)
  public init<Element>(of element: Element) {
    address = withUnsafeBytes(of: element) { $0.load(as: UInt.self) }
  }
}

/// Strong references that a query obtained only to find out whether their objects live.
///
/// Each of them may be the last reference to its object by now. They are released together with
/// this value, whose scope must end where a `deinit` may run: outside locks and pins.
public struct PromotedObjects {
  private var objects: [AnyObject] = []

  /// Creates an empty value.
  public init() {}

  /// Adds a strong reference to `object`.
  public mutating func add(_ object: AnyObject) {
    objects.append(object)
  }
}

// @unchecked: no thread can access the objects again; any thread may release them.
extension PromotedObjects: @unchecked Sendable {}
