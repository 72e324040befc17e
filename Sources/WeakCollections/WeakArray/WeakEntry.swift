import EpochReclamation
import Primitives

/// A weak reference in memory of its own, as the slots of a lock-free array point to.
enum WeakEntry<Element>: Reclaimable {
  private typealias Reference = WeakReference<Element>

  static func allocate(_ element: Element) -> UnsafeMutableRawPointer {
    let reference = NodeMemory.allocate(Reference.self)
    reference.writing().initialize(to: Reference(element))
    return UnsafeMutableRawPointer(reference)
  }

  static func promote(_ entry: UnsafeMutableRawPointer) -> Element? {
    Reference.promote(at: entry.assumingMemoryBound(to: Reference.self).reading())
  }

  static func refers(_ entry: UnsafeMutableRawPointer, to identity: ObjectIdentity) -> Bool {
    Reference.refers(at: entry.assumingMemoryBound(to: Reference.self).reading(), to: identity)
  }

  /// Runs no user code: letting go of a weak reference frees at most its side table.
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    pointer.assumingMemoryBound(to: Reference.self).writing().deinitialize(count: 1)
    NodeMemory.deallocate(pointer)
  }
}
