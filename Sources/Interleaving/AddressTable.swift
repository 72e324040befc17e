#if Interleaving
  import CInterleaving

  /// Numbers addresses in the order of their first use, and forgets all of them at once.
  ///
  /// Open addressing; an entry of another generation is an empty one.
  struct AddressTable {
    private struct Entry {
      var address: UInt
      var generation: UInt32
      var index: UInt32
    }

    /// How many addresses an execution may use.
    static var capacity: Int { 1 << 16 }

    private static var slotBits: UInt { 17 }
    private let entries: UnsafeMutablePointer<Entry>
    // Zeroed memory is of generation 0, hence empty.
    private var generation: UInt32 = 1
    private(set) var count = 0

    init() {
      entries = Tables.make(Entry.self, capacity: 1 << Self.slotBits)
    }

    mutating func removeAll() {
      count = 0
      generation &+= 1
      if generation == 0 {
        entries.update(
          repeating: Entry(address: 0, generation: 0, index: 0), count: 1 << Self.slotBits)
        generation = 1
      }
    }

    /// The number of `address`, and whether it is new.
    @inline(__always)
    mutating func index(of address: UInt) -> (index: Int, isNew: Bool) {
      let mask = UInt(1) << Self.slotBits &- 1
      var slot = (address &* 0x9e37_79b9_7f4a_7c15) >> (UInt(UInt.bitWidth) &- Self.slotBits)
      while true {
        let entry = entries + Int(bitPattern: slot)
        if entry.pointee.generation != generation { break }
        if entry.pointee.address == address { return (Int(entry.pointee.index), false) }
        slot = (slot &+ 1) & mask
      }
      precondition(count < Self.capacity, "an execution uses more atomics than can be watched")
      entries[Int(bitPattern: slot)] = Entry(
        address: address, generation: generation, index: UInt32(truncatingIfNeeded: count))
      count &+= 1
      return (count &- 1, true)
    }
  }

  /// Zeroed memory for tables that live as long as their engine, touched page by page.
  enum Tables {
    static func make<Element: BitwiseCopyable>(
      _ element: Element.Type, capacity: Int
    ) -> UnsafeMutablePointer<Element> {
      bind(cil_private_create(capacity * MemoryLayout<Element>.stride), capacity)
    }

    /// The same, shared with child processes.
    static func makeShared<Element: BitwiseCopyable>(
      _ element: Element.Type, capacity: Int
    ) -> UnsafeMutablePointer<Element> {
      bind(cil_shared_create(capacity * MemoryLayout<Element>.stride), capacity)
    }

    private static func bind<Element>(
      _ memory: UnsafeMutableRawPointer?, _ capacity: Int
    ) -> UnsafeMutablePointer<Element> {
      guard let memory else { fatalError("no memory for the tables of a scheduler") }
      return memory.bindMemory(to: Element.self, capacity: capacity)
    }
  }
#endif
