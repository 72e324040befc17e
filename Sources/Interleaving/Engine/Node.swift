#if Interleaving
  import CInterleaving
  import CShims

  /// A block of memory that the code under test allocated as a node.
  ///
  /// An execution never reuses the memory of a node.
  struct Node {
    var offset: Int
    var byteCount: Int
    var isLive: Bool
    /// The lane of the thread that allocated the node, and the time of the allocation. Plain writes
    /// initialize the node after that.
    var allocationLane: Int32
    var allocationTime: UInt32
    var allocationStep: Int32
    var reclaimStep: Int32
    /// The time and the step of each thread's last access.
    var accesses: Clock
    var accessSteps: SIMD8<Int32>
  }

  /// The history of a word with plain accesses: the last write, and each thread's last read.
  struct PlainWord {
    var writeLane: Int32 = -1
    var writeTime: UInt32 = 0
    var writeStep: Int32 = 0
    var reads = Clock()
    var readSteps = SIMD8<Int32>()
  }

  /// A synchronization object: an atomic word or a lock.
  struct Location {
    /// The clock that a thread joins when it reads the value in memory with an acquire.
    var clock = Clock()
    /// The thread whose buffer holds an update of this word; -1 if none.
    var updater: Int32 = -1
    /// The exclusive owner of a lock, -1 if there is none; the number of threads that share it.
    var owner: Int32 = -1
    var sharers: Int32 = 0
    /// The number of stored values, and the number of ended objects when the first of
    /// them was stored.
    var valueCount: Int32 = 0
    var objects: UInt32 = 0
  }

  /// A virtual thread.
  struct VirtualThread {
    enum State: UInt8 { case unused, runnable, spinning, waiting, suspended, finished }
    enum Wait: UInt8 { case none, lock, word, thread }

    // This must be the first field: `stackPointer(of:)` assumes it.
    var stackPointer: UnsafeMutableRawPointer?
    var stack: UnsafeMutableRawPointer?
    var clock = Clock()
    /// The clocks of the values that relaxed loads have read: an acquire fence joins them.
    var acquirable = Clock()
    /// The clock of the last release fence: later relaxed stores publish it.
    var fenceClock = Clock()
    /// The older values that the thread's loads must not return.
    var loadBound = LoadBound()
    /// Whether a release fence found entries in the buffer, which later stores must not pass.
    var isFenced = false
    /// The index in `runnable`; -1 if the thread is not runnable.
    var place: Int32 = -1
    var bufferCount: Int32 = 0
    var updateCount: Int32 = 0
    // Reordered loads: the number of atomic accesses that the thread has begun, what the first of
    // them have read, and the taint of the thread's stores.
    var accessCount: UInt32 = 0
    var reads = ReadHashes()
    var taint: UInt32 = 0
    var state = State.unused
    var wait = Wait.none
    /// Whether the next scheduling point does more than take a decision. It does in two cases: the
    /// thread has taken no step yet, and the decision that starts it also covers its first step; or
    /// the strategy needs to know each step in advance.
    var reportsNextStep = true
    /// Whether the thread's first step needs a decision of its own, after the one that started the
    /// thread.
    var beginsAlone = false
    var waitAddress: UInt = 0
    var priority: UInt64 = 0
    var bufferPriority: UInt64 = 0
    var locals = cws_thread_locals()
    var exitHandler: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    var exitValue: UnsafeMutableRawPointer?

    /// The thread's own time; 0 for the scenario, and without a lane for the thread.
    func time(of thread: Int) -> UInt32 {
      (1...Clock.lanes).contains(thread) ? clock[thread - 1] : 0
    }
  }

  // The arena allocates nodes in order, and never reuses memory during an execution. For each
  // granule of 16 bytes, a table has the index of the node plus one, or 0 for a gap between nodes.
  extension Engine {
    func allocate(_ byteCount: Int, _ alignment: Int, _ site: cws_site) -> UnsafeMutableRawPointer {
      let alignment = max(alignment, Arena.granule)
      let begin = (state.pointee.arenaCount + alignment - 1) & -alignment
      let end = begin + (max(byteCount, 1) + Arena.granule - 1) & -Arena.granule
      let number = counts.pointee.nodeCount
      guard end + Arena.granule <= Arena.byteCount && number < Recordings.nodeCapacity else {
        fatalError(
          "an execution allocated more than \(Recordings.nodeCapacity) nodes or \(Arena.byteCount) bytes; "
            + "make the scenario smaller")
      }
      markGranules(state.pointee.arenaCount..<begin, 0)
      markGranules(begin..<end, UInt32(number + 1))
      markGranules(end..<end + Arena.granule, 0)
      state.pointee.arenaCount = end + Arena.granule
      counts.pointee.nodeCount = number + 1
      let memory = UnsafeMutableRawPointer(state.pointee.arena + begin)
      memory.initializeMemory(as: UInt8.self, repeating: Arena.fresh, count: end - begin)
      let step = record(
        .allocate, site, address: UInt(bitPattern: memory), value: UInt64(byteCount))
      note(node: number, ofStep: step)
      let lane = currentLane
      state.pointee.recordings.nodes[number] = Node(
        offset: begin, byteCount: end - begin, isLive: true, allocationLane: Int32(lane),
        allocationTime: lane < 0 || !state.pointee.hasClocks ? 0 : currentClock[lane],
        allocationStep: Int32(step), reclaimStep: -1, accesses: Clock(),
        accessSteps: SIMD8<Int32>())
      return memory
    }

    private func markGranules(_ bytes: Range<Int>, _ mark: UInt32) {
      let first = bytes.lowerBound / Arena.granule
      (state.pointee.granules + first).update(
        repeating: mark, count: bytes.count / Arena.granule)
    }

    func deallocate(_ memory: UnsafeMutableRawPointer, _ site: cws_site) {
      let offset = self.offset(of: UInt(bitPattern: memory))
      guard offset < UInt(Arena.byteCount) else { return memory.deallocate() }
      let step = record(.deallocate, site, address: UInt(bitPattern: memory))
      guard let node = node(at: offset), node.pointee.offset == Int(offset) else {
        fail(.strayAccess, site)
      }
      if !node.pointee.isLive {
        fail(.doubleReclaim, self.site(ofStep: Int(node.pointee.reclaimStep)), site)
      }
      note(node: node - state.pointee.recordings.nodes, ofStep: step)
      if let user = lastUnorderedUser(of: node) { fail(.reclaimedInUse, user, site) }
      node.pointee.isLive = false
      node.pointee.reclaimStep = Int32(step)
      memory.initializeMemory(
        as: UInt8.self, repeating: Arena.reclaimed, count: node.pointee.byteCount)
    }

    /// Returns the site of an access by another thread that did not happen before the current step;
    /// `nil` if there is none.
    private func lastUnorderedUser(of node: UnsafeMutablePointer<Node>) -> cws_site? {
      guard state.pointee.hasClocks, currentLane >= 0 else { return nil }
      if !happenedBefore(
        lane: Int(node.pointee.allocationLane), time: node.pointee.allocationTime)
      {
        return site(ofStep: Int(node.pointee.allocationStep))
      }
      return node.pointee.accesses.laneAhead(of: currentClock, except: currentLane).map {
        site(ofStep: Int(node.pointee.accessSteps[$0]))
      }
    }

    /// Checks that the step uses a live node, or memory outside of the arena.
    @inline(__always)
    func checkNode(at address: UInt, _ step: Int) {
      let offset = offset(of: address)
      if offset < UInt(Arena.byteCount) { checkNode(offset: offset, step) }
    }

    private func checkNode(offset: UInt, _ step: Int) {
      let site = site(ofStep: step)
      guard let node = node(at: offset) else { fail(.strayAccess, site) }
      note(node: node - state.pointee.recordings.nodes, ofStep: step)
      if !node.pointee.isLive {
        fail(.useAfterReclaim, site, self.site(ofStep: Int(node.pointee.reclaimStep)))
      }
      let lane = currentLane
      guard lane >= 0, state.pointee.hasClocks else { return }
      if !happenedBefore(
        lane: Int(node.pointee.allocationLane), time: node.pointee.allocationTime)
      {
        fail(.dataRace, self.site(ofStep: Int(node.pointee.allocationStep)), site)
      }
      node.pointee.accesses.replaceLane(lane, with: currentClock)
      node.pointee.accessSteps[lane] = Int32(truncatingIfNeeded: step)
    }

    @inline(__always)
    func offset(of address: UInt) -> UInt { address &- UInt(bitPattern: state.pointee.arena) }

    @inline(__always)
    private func node(at offset: UInt) -> UnsafeMutablePointer<Node>? {
      guard offset < UInt(state.pointee.arenaCount) else { return nil }
      let number = state.pointee.granules[Int(offset) / Arena.granule]
      return number == 0 ? nil : state.pointee.recordings.nodes + Int(number - 1)
    }

    @inline(__always)
    private func note(node: Int, ofStep step: Int) {
      state.pointee.recordings.trace[step].node = UInt32(truncatingIfNeeded: node &+ 1)
    }

    /// Fails if a node is live.
    func checkLeaks() {
      let nodes = state.pointee.recordings.nodes
      let leaked = (0..<counts.pointee.nodeCount).count { nodes[$0].isLive }
      if leaked > 0 {
        counts.pointee.failure.count = leaked
        fail(.leak, cws_site())
      }
    }
  }

  /// Numbers addresses in the order of their first use. `removeAll()` takes constant time.
  ///
  /// It is a hash table with open addressing. An entry of an earlier generation counts as empty.
  struct AddressTable {
    private struct Entry {
      var address: UInt
      var generation: UInt32
      var index: UInt32
    }

    /// The maximum number of addresses of an execution.
    static var capacity: Int { 1 << 16 }

    private static var slotBits: UInt { 17 }
    private let entries: UnsafeMutablePointer<Entry>
    // Zeroed entries have generation 0, so they count as empty.
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

    /// Returns the number of `address`, and whether the address is new.
    @inline(__always)
    mutating func index(of address: UInt) -> (index: Int, isNew: Bool) {
      let slot = slot(of: address)
      let entry = entries + slot
      if entry.pointee.generation == generation { return (Int(entry.pointee.index), false) }
      guard count < Self.capacity else {
        fatalError(
          "an execution used more than \(Self.capacity) addresses; make the scenario smaller")
      }
      entry.pointee = Entry(
        address: address, generation: generation, index: UInt32(truncatingIfNeeded: count))
      count &+= 1
      return (count &- 1, true)
    }

    /// Returns the number of `address`; `nil` if it has none.
    func existingIndex(of address: UInt) -> Int? {
      let entry = entries[slot(of: address)]
      return entry.generation == generation ? Int(entry.index) : nil
    }

    /// Returns the slot of `address`, or the empty slot in which to insert it.
    @inline(__always)
    private func slot(of address: UInt) -> Int {
      let mask = UInt(1) << Self.slotBits &- 1
      var slot = (address &* 0x9e37_79b9_7f4a_7c15) >> (UInt(UInt.bitWidth) &- Self.slotBits)
      while true {
        let entry = entries + Int(bitPattern: slot)
        if entry.pointee.generation != generation || entry.pointee.address == address {
          return Int(bitPattern: slot)
        }
        slot = (slot &+ 1) & mask
      }
    }
  }

  /// Allocates zeroed memory for tables, which live as long as their engine. The system provides
  /// each page at its first use.
  enum Tables {
    static func make<Element: BitwiseCopyable>(
      _ element: Element.Type, capacity: Int
    ) -> UnsafeMutablePointer<Element> {
      bind(cil_private_create(capacity * MemoryLayout<Element>.stride), capacity)
    }

    /// Allocates memory that child processes share.
    static func makeShared<Element: BitwiseCopyable>(
      _ element: Element.Type, capacity: Int
    ) -> UnsafeMutablePointer<Element> {
      bind(cil_shared_create(capacity * MemoryLayout<Element>.stride), capacity)
    }

    private static func bind<Element>(
      _ memory: UnsafeMutableRawPointer?, _ capacity: Int
    ) -> UnsafeMutablePointer<Element> {
      guard let memory else {
        let byteCount = capacity * MemoryLayout<Element>.stride
        fatalError("mmap of \(byteCount) bytes for a scheduler failed; check ulimit -v")
      }
      return memory.bindMemory(to: Element.self, capacity: capacity)
    }
  }
#endif
