import CShims
import Primitives

/// A weak reference to any object that is copied and destroyed like any other value.
///
/// On Linux a slot is one word and keeps its object's memory allocated after the object's death,
/// unless the object is large; see `UnownedCount`. Otherwise copies of a slot share a `WeakWord`.
///
/// Any number of threads may promote one slot concurrently, also while its object dies. The
/// functions take a pointer to the slot, because calling a method would first copy `self`.
public struct WeakSlot {
  private enum Storage {
    #if os(Linux) && !WeakBoxes
      // The first case: then its representation is the address alone. A test checks that.
      case unowned(UnownedReference)
    #endif
    case shared(SharedWord)
  }

  private let storage: Storage

  /// Creates a reference to `object` that does not keep it alive.
  public init(_ object: AnyObject) {
    #if os(Linux) && !WeakBoxes
      if UnownedCount.suits(object) {
        storage = .unowned(UnownedReference(object))
        return
      }
    #endif
    storage = .shared(SharedWord(object))
  }

  /// Returns the object of the slot at `pointer`, retained by the result; nil once its `deinit` has
  /// begun.
  @inline(__always)
  public static func promote(at pointer: UnsafePointer<WeakSlot>) -> AnyObject? {
    promoteUnmanaged(at: pointer)?.takeRetainedValue()
  }

  /// Returns the object of the slot at `pointer` with a reference that the caller must release; nil
  /// once its `deinit` has begun.
  @inline(__always)
  public static func promoteUnmanaged(
    at pointer: UnsafePointer<WeakSlot>
  ) -> Unmanaged<AnyObject>? {
    ManagedScheduler.step()
    return word(at: pointer).promoteUnmanaged()
  }

  /// Returns whether the slot at `pointer` refers to the living object `identity`, which the caller
  /// keeps alive.
  ///
  /// Releases only references that the caller also holds, so it may be called under a lock.
  @inline(__always)
  public static func refers(
    at pointer: UnsafePointer<WeakSlot>, to identity: ObjectIdentity
  ) -> Bool {
    word(at: pointer).refers(to: identity)
  }

  /// Returns whether the `deinit` of the object of the slot at `pointer` has begun.
  ///
  /// - Parameters:
  ///   - pointer: The address of the slot.
  ///   - promoted: Receives the object if the query has to promote it. Release the value where a
  ///     `deinit` may run.
  @inline(__always)
  public static func isDead(
    at pointer: UnsafePointer<WeakSlot>, promoted: inout PromotedObjects
  ) -> Bool {
    word(at: pointer).isDead(promoted: &promoted)
  }

  /// Returns the slot's weak word, without a reference of its own.
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
  /// An unowned reference; copying it raises the unowned count, and destroying it lowers the count.
  private struct UnownedReference {
    private unowned let object: AnyObject

    init(_ object: AnyObject) {
      self.object = object
    }
  }
#endif

/// A weak word that the copies of a slot share.
private final class SharedWord: Sendable {
  let word: WeakWord

  init(_ object: AnyObject) {
    word = WeakWord(boxing: object)
    // `WeakSlot.Storage` marks the pointer in its upper bits, so LeakSanitizer does not recognize
    // it.
    cws_not_leaked(Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    noteLastRelease(of: self)
    word.release()
  }
}
