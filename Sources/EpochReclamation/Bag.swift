import Primitives

/// Retired pointers that become reclaimable together: two epochs after the last of them was retired.
///
/// One allocation: the header, then the entries. At any time a bag belongs to one owner: a field of a
/// participant, one sealed list, or the thread that took it from there.
struct Bag: Equatable {
  private struct Header {
    var tag: UInt64 = 0
    var count = 0
    var next: UnsafeMutableRawPointer?
  }

  private let memory: UnsafeMutableRawPointer

  init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
  }

  /// An empty bag with room for `capacity` entries.
  init(capacity: Int) {
    memory = NodeMemory.allocate(
      byteCount: Self.entriesOffset + capacity * MemoryLayout<Retired>.stride,
      alignment: MemoryLayout<Retired>.alignment)
    memory.bindMemory(to: Header.self, capacity: 1).writing().initialize(to: Header())
  }

  func deallocate() {
    NodeMemory.deallocate(memory)
  }

  var address: UnsafeMutableRawPointer { memory }
  var count: Int { header.reading().pointee.count }

  /// The highest epoch in which an entry was retired.
  var tag: UInt64 { header.reading().pointee.tag }

  var next: Bag? {
    get { header.reading().pointee.next.map(Bag.init(memory:)) }
    nonmutating set { header.writing().pointee.next = newValue?.memory }
  }

  /// Whether no participant can see any of the entries when the epoch is `now`.
  func isReclaimable(at now: UInt64) -> Bool {
    tag + (Defect.earlyFree.isPlanted ? 1 : 2) <= now
  }

  func add(_ entry: Retired, tag: UInt64) {
    entries.advanced(by: count).initialize(to: entry)
    let header = header.writing()
    header.pointee.count += 1
    header.pointee.tag = tag
  }

  /// Reclaims every entry; returns how many there were, and leaves the bag empty.
  func reclaimAll() -> Int {
    let count = count
    for index in 0..<count {
      let entry = entries[index]
      entry.type.reclaim(entry.pointer)
    }
    header.writing().pointee = Header()
    return count
  }

  private var header: UnsafeMutablePointer<Header> {
    memory.assumingMemoryBound(to: Header.self)
  }

  private var entries: UnsafeMutablePointer<Retired> {
    memory.advanced(by: Self.entriesOffset).assumingMemoryBound(to: Retired.self)
  }

  /// Both types are made of words.
  private static var entriesOffset: Int { MemoryLayout<Header>.stride }
}
