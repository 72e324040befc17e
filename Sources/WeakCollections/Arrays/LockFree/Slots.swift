import EpochReclamation
import Primitives
import WeakReferences

/// The word in a slot of a lock-free weak array.
///
/// ```
/// bits 63 to 4       bits 3 to 0
/// 0                  0000         a free slot
/// address            000b         an entry; bit b belongs to `WeakWord`
/// 0                  0010         a tombstone
/// a SlotPosition     0100         the removal of the entry at that position
/// a Closing          0110         the closing of the directory, with its reason
/// ```
struct SlotWord: Equatable {
  let rawValue: UInt

  /// The reason why a directory is replaced.
  enum Closing: UInt {
    /// The tail is full; the replacement also removes some dead entries.
    case growth
    /// A caller asked to remove all dead entries.
    case compaction
    /// A caller asked to remove all entries.
    case clearing
  }

  enum Meaning {
    case free
    case entry
    /// A removed entry.
    case tombstone
    case removal(of: SlotPosition)
    case closing(Closing)
  }

  static var free: SlotWord { SlotWord(rawValue: 0) }
  static var tombstone: SlotWord { SlotWord(rawValue: tombstoneTag) }

  static func entry(_ entry: UInt) -> SlotWord { SlotWord(rawValue: entry) }

  static func removal(of position: SlotPosition) -> SlotWord {
    SlotWord(rawValue: position.rawValue << 4 | removalTag)
  }

  static func closing(_ closing: Closing) -> SlotWord {
    SlotWord(rawValue: closing.rawValue << 4 | closingTag)
  }

  /// Whether the word is an entry. Entries have bits 1 to 3 clear.
  var isEntry: Bool { rawValue & 0b1110 == 0 && rawValue != 0 }

  var isClosing: Bool { rawValue & 0b1110 == Self.closingTag }

  var meaning: Meaning {
    if rawValue == 0 { return .free }
    switch rawValue & 0b1110 {
    case Self.tombstoneTag: return .tombstone
    case Self.removalTag: return .removal(of: SlotPosition(rawValue: rawValue >> 4))
    case Self.closingTag: return .closing(Closing(rawValue: rawValue >> 4)!)
    default: return .entry
    }
  }

  private static var tombstoneTag: UInt { 0b0010 }
  private static var removalTag: UInt { 0b0100 }
  private static var closingTag: UInt { 0b0110 }
}

/// The place of a slot in a directory: the index of a segment, and an index in the segment.
struct SlotPosition: Equatable {
  let rawValue: UInt

  init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  init(segment: Int, index: Int) {
    rawValue = UInt(segment) << 16 | UInt(index)
  }

  var segment: Int { Int(rawValue >> 16) }
  var index: Int { Int(rawValue & 0xffff) }
}

/// The encoding of a weak reference as a slot's word: a word that is not 0 and whose bits 1 to 3
/// are 0.
///
/// For a class it is a `WeakWord`. For a protocol it is the address of a node with a `WeakWord` and
/// the witness tables, because one compare-exchange of the slot must publish both.
enum WeakEntry<Element>: Reclaimable {
  private struct Node {
    let word: WeakWord
    let witnesses: WitnessTables
  }

  @inline(__always)
  private static var hasWitnesses: Bool { ReferenceLayout.witnessCount(of: Element.self) > 0 }

  /// Returns an entry for `element`, which the caller keeps alive during the call. `release` frees
  /// the entry.
  @inline(__always)
  static func make(_ element: Element) -> UInt {
    let word = WeakWord(element)
    guard hasWitnesses else { return word.rawValue }
    let node = NodeMemory.allocate(Node.self)
    node.writing().initialize(to: Node(word: word, witnesses: WitnessTables(of: element)))
    return UInt(bitPattern: node)
  }

  /// Returns the element, retained by the result; nil once its `deinit` has begun.
  @inline(__always)
  static func promote(_ entry: UInt) -> Element? {
    guard let object = word(of: entry).promote() else { return nil }
    guard hasWitnesses else { return unsafeBitCast(object, to: Element.self) }
    return node(entry).reading().pointee.witnesses.element(for: object, as: Element.self)
  }

  /// Initializes the memory at `pointer` with the element. Returns false, without initializing it,
  /// once the object's `deinit` has begun.
  @inline(__always)
  static func promote(_ entry: UInt, to pointer: UnsafeMutablePointer<Element>) -> Bool {
    guard let object = word(of: entry).promoteUnmanaged() else { return false }
    let tables = hasWitnesses ? node(entry).reading().pointee.witnesses : nil
    WitnessTables.initialize(pointer, to: object, tables)
    return true
  }

  /// Returns whether the entry refers to the living object `identity`, which the caller keeps
  /// alive.
  @inline(__always)
  static func refers(_ entry: UInt, to identity: ObjectIdentity) -> Bool {
    word(of: entry).refers(to: identity)
  }

  @inline(__always)
  static func isDead(_ entry: UInt, promoted: inout PromotedObjects) -> Bool {
    word(of: entry).isDead(promoted: &promoted)
  }

  /// Adds the object to `promoted`, which keeps it alive; returns false if its `deinit` has begun.
  static func promote(_ entry: UInt, into promoted: inout PromotedObjects) -> Bool {
    word(of: entry).promote(into: &promoted)
  }

  /// Frees the entry. Runs no user code.
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

/// A fixed number of slots of a lock-free weak array, filled from the front.
///
/// One allocation: the capacity, then the slots. Invariants: a slot changes once from free to
/// something else; an entry changes at most once, to a tombstone; nothing else changes.
struct SlotSegment: Equatable {
  typealias Slot = Atomic<UInt>

  static let largestCapacity = 1024

  let memory: UnsafeMutableRawPointer

  init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
  }

  /// Creates `capacity` slots, of which the first contain `entries`.
  init(_ entries: ArraySlice<UInt>, capacity: Int) {
    guard entries.count <= capacity else {
      fatalError("\(entries.count) entries exceed \(capacity) slots")
    }
    memory = NodeMemory.allocate(
      byteCount: Self.byteCount(capacity: capacity),
      alignment: MemoryLayout<Slot>.alignment)
    memory.bindMemory(to: Int.self, capacity: 1).writing().initialize(to: capacity)
    let slots = (memory + Self.slotsOffset).bindMemory(to: Slot.self, capacity: capacity)
    var next = slots
    for entry in entries {
      next.initialize(to: Slot(entry))
      next += 1
    }
    while next < slots + capacity {
      next.initialize(to: Slot(SlotWord.free.rawValue))
      next += 1
    }
  }

  /// Frees the slots, but not the entries.
  func deallocate() {
    NodeMemory.deallocate(memory)
  }

  var capacity: Int { memory.assumingMemoryBound(to: Int.self).reading().pointee }

  var slots: UnsafeMutablePointer<Slot> {
    (memory + Self.slotsOffset).assumingMemoryBound(to: Slot.self)
  }

  subscript(index: Int) -> SlotWord {
    // Sequentially consistent, as is every load of a structure under a pin; pairs with the
    // compare-exchange that filled the slot, or with that of the root, which published the segment.
    SlotWord(rawValue: slots[index].load(ordering: .sequentiallyConsistent))
  }

  private static var slotsOffset: Int { MemoryLayout<Int>.stride }

  private static func byteCount(capacity: Int) -> Int {
    slotsOffset + capacity * MemoryLayout<Slot>.stride
  }

  var byteCount: Int { Self.byteCount(capacity: capacity) }
}

extension SlotSegment: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    SlotSegment(memory: pointer).deallocate()
  }
}
