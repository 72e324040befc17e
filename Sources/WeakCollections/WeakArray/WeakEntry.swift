import EpochReclamation
import Primitives
import WeakReferences

/// A weak reference as the slots of a lock-free array have it: a word whose bits 1 to 3 are 0, and which is
/// not 0 itself.
///
/// For a class it is a `WeakWord`. For a protocol it is the address of one and of the witness tables: they
/// must appear in the slot with one exchange.
enum WeakEntry<Element>: Reclaimable {
  private struct Node {
    let word: WeakWord
    let witnesses: WitnessTables
  }

  @inline(__always)
  private static var hasWitnesses: Bool { ReferenceLayout.witnessCount(of: Element.self) > 0 }

  /// Refers to `element`, which the caller keeps alive meanwhile, until `release`.
  @inline(__always)
  static func make(_ element: Element) -> UInt {
    let word = WeakWord(element)
    guard hasWitnesses else { return word.rawValue }
    let node = NodeMemory.allocate(Node.self)
    node.writing().initialize(to: Node(word: word, witnesses: WitnessTables(of: element)))
    return UInt(bitPattern: node)
  }

  /// The element, kept alive by the result; nil once its `deinit` has begun.
  @inline(__always)
  static func promote(_ entry: UInt) -> Element? {
    guard let object = word(of: entry).promote() else { return nil }
    guard hasWitnesses else { return unsafeBitCast(object, to: Element.self) }
    return node(entry).reading().pointee.witnesses.element(for: object, as: Element.self)
  }

  /// Makes what is at `pointer`, which is uninitialized memory, the element; returns false, and leaves it
  /// as it is, once `deinit` has begun.
  @inline(__always)
  static func promote(_ entry: UInt, to pointer: UnsafeMutablePointer<Element>) -> Bool {
    guard let object = word(of: entry).promoteUnmanaged() else { return false }
    let tables = hasWitnesses ? node(entry).reading().pointee.witnesses : nil
    WitnessTables.initialize(pointer, to: object, tables)
    return true
  }

  /// Whether the object is the living one `identity`, which the caller keeps alive.
  @inline(__always)
  static func refers(_ entry: UInt, to identity: ObjectIdentity) -> Bool {
    word(of: entry).refers(to: identity)
  }

  @inline(__always)
  static func isDead(_ entry: UInt, promoted: inout PromotedObjects) -> Bool {
    word(of: entry).isDead(promoted: &promoted)
  }

  /// Keeps the object alive as long as `promoted`; returns false if its `deinit` has begun.
  static func promote(_ entry: UInt, into promoted: inout PromotedObjects) -> Bool {
    word(of: entry).promote(into: &promoted)
  }

  /// Ends the reference. Runs no user code.
  static func release(_ entry: UInt) {
    word(of: entry).release()
    if hasWitnesses { NodeMemory.deallocate(node(entry)) }
  }

  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    release(UInt(bitPattern: pointer))
  }

  @inline(__always)
  private static func word(of entry: UInt) -> WeakWord {
    hasWitnesses ? node(entry).reading().pointee.word : WeakWord(rawValue: entry)
  }

  @inline(__always)
  private static func node(_ entry: UInt) -> UnsafeMutablePointer<Node> {
    UnsafeMutablePointer(bitPattern: entry)!
  }
}
