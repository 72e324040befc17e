import EpochReclamation
import Primitives

/// A weak reference in memory of its own, as the slots of a lock-free array point to.
enum WeakEntry<Element>: Reclaimable {
  private typealias Reference = WeakReference<Element>

  static func allocate(_ element: Element) -> UnsafeMutableRawPointer {
    let reference = NodeMemory.allocate(Reference.self)
    reference.initialize(to: Reference(element))
    return UnsafeMutableRawPointer(reference)
  }

  static func promote(_ entry: UnsafeMutableRawPointer) -> Element? {
    entry.assumingMemoryBound(to: Reference.self).pointee.promote()
  }

  static func refers(_ entry: UnsafeMutableRawPointer, to element: Element) -> Bool {
    entry.assumingMemoryBound(to: Reference.self).pointee.refers(to: element)
  }

  /// Runs no user code: letting go of a weak reference frees at most its side table.
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    pointer.assumingMemoryBound(to: Reference.self).deinitialize(count: 1)
    NodeMemory.deallocate(pointer)
  }
}
