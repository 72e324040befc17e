import CShims
import Primitives

/// A weak reference to any object, as a value that is copied and destroyed like others.
///
/// On Linux it is one word and holds its object's memory, dead or alive, unless that is large; see
/// `UnownedCount`. Otherwise it shares a `WeakWord`.
///
/// Any number of threads may promote one slot at once, also while its object dies. Functions take a
/// pointer to the slot, since a method's `self` would first be copied.
public struct WeakSlot {
  private enum Storage {
    #if os(Linux) && !WeakBoxes
      // First, since its bits are then those of the address alone; a test checks that.
      case unowned(UnownedReference)
    #endif
    case shared(SharedWord)
  }

  private let storage: Storage

  /// Refers to `object` without keeping it alive.
  public init(_ object: AnyObject) {
    #if os(Linux) && !WeakBoxes
      if UnownedCount.suits(object) {
        storage = .unowned(UnownedReference(object))
        return
      }
    #endif
    storage = .shared(SharedWord(object))
  }

  /// The object of the slot at `pointer`, kept alive by the result; nil once its `deinit` has begun.
  @inline(__always)
  public static func promote(at pointer: UnsafePointer<WeakSlot>) -> AnyObject? {
    promoteUnmanaged(at: pointer)?.takeRetainedValue()
  }

  /// `promote` for those who put the reference into memory themselves: they own it.
  @inline(__always)
  public static func promoteUnmanaged(
    at pointer: UnsafePointer<WeakSlot>
  ) -> Unmanaged<AnyObject>? {
    ManagedScheduler.step()
    return word(at: pointer).promoteUnmanaged()
  }

  /// Whether the slot at `pointer` is that of the living object `identity`, which the caller keeps alive.
  ///
  /// Releases nothing that the caller does not hold too: it may be asked under a lock.
  @inline(__always)
  public static func refers(
    at pointer: UnsafePointer<WeakSlot>, to identity: ObjectIdentity
  ) -> Bool {
    word(at: pointer).refers(to: identity)
  }

  /// Whether the `deinit` of the object of the slot at `pointer` has begun.
  ///
  /// What has to be promoted to know that is added to `promoted`, to be released where a `deinit` may
  /// run.
  @inline(__always)
  public static func isDead(
    at pointer: UnsafePointer<WeakSlot>, promoted: inout PromotedObjects
  ) -> Bool {
    word(at: pointer).isDead(promoted: &promoted)
  }

  /// What the slot refers by; the slot keeps it.
  @inline(__always)
  private static func word(at pointer: UnsafePointer<WeakSlot>) -> WeakWord {
    switch pointer.pointee.storage {
    #if os(Linux) && !WeakBoxes
      case .unowned: WeakWord(rawValue: UnsafeRawPointer(pointer).load(as: UInt.self))
    #endif
    case .shared(let shared): shared.word
    }
  }
}

#if os(Linux) && !WeakBoxes
  /// Copied by raising the unowned count, destroyed by lowering it.
  private struct UnownedReference {
    private unowned let object: AnyObject

    init(_ object: AnyObject) {
      self.object = object
    }
  }
#endif

/// A box that copies of a slot have in common.
private final class SharedWord: Sendable {
  let word: WeakWord

  init(_ object: AnyObject) {
    word = WeakWord(boxing: object)
    // `WeakSlot.Storage` marks the pointer in its upper bits.
    cws_not_leaked(Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    noteLastRelease(of: self)
    word.release()
  }
}
