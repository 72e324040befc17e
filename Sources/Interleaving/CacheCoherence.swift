// A simulation of the MESI cache coherence protocol, for any number of cores.
//
// A line is *modified* (one cache has it, and its contents differ from memory), *exclusive* (one
// cache has it, as in memory), *shared* (several caches have it) or *invalid* (no cache has it). A
// read needs a copy of the line; a write needs the only copy. The simulation counts *transfers*: a
// core gets the line from another core, or invalidates the copies of other cores. It does not count
// the fetch from memory of a line that no cache has.
//
// Caches are unlimited, lines leave them only by invalidation, and a step takes no time. So the
// counts are those of a machine whose caches are large enough, and whose cores run in the order of
// the schedule.

/// The caches of a machine.
public struct CacheCoherence: Sendable {
  /// The size of a cache line.
  public static let lineByteCount: UInt = 64

  /// The state of a line in the caches.
  public enum State: Sendable, Hashable {
    /// No cache has the line.
    case invalid
    /// Several caches have the line, with the same contents as memory.
    case shared
    /// One cache has the line, with the same contents as memory.
    case exclusive
    /// One cache has the line, with other contents than memory.
    case modified
  }

  /// The cost of an access.
  public enum Cost: Sendable, Hashable {
    /// The core's cache had the line in a suitable state.
    case hit
    /// No cache had the line.
    case fetchFromMemory
    /// The core got the line from another core, or invalidated other copies.
    case transfer
  }

  fileprivate struct Line {
    var state = State.invalid
    var holders = CoreSet()
  }

  private var lines: [UInt: Line] = [:]

  /// Creates empty caches.
  public init() {}

  /// Performs a read or a write by `core` and returns its cost.
  ///
  /// - Precondition: `core` is from 0 to 255.
  public mutating func access(_ address: UInt, by core: Int, isWrite: Bool) -> Cost {
    let number = address / Self.lineByteCount
    return isWrite
      ? lines[number, default: Line()].write(by: core)
      : lines[number, default: Line()].read(by: core)
  }

  /// Returns the state of the line that contains `address`.
  public func state(of address: UInt) -> State {
    lines[address / Self.lineByteCount]?.state ?? .invalid
  }
}

extension CacheCoherence.Line {
  fileprivate mutating func read(by core: Int) -> CacheCoherence.Cost {
    if holders.contains(core) { return .hit }
    let isFirst = holders.isEmpty
    holders.insert(core)
    state = isFirst ? .exclusive : .shared
    return isFirst ? .fetchFromMemory : .transfer
  }

  fileprivate mutating func write(by core: Int) -> CacheCoherence.Cost {
    let alone = CoreSet(core)
    let cost: CacheCoherence.Cost =
      holders == alone ? .hit : holders.isEmpty ? .fetchFromMemory : .transfer
    holders = alone
    state = .modified
    return cost
  }
}

/// A set of cores, whose numbers are from 0 to 255.
public struct CoreSet: Sendable, Hashable {
  /// The maximum number of cores in a set.
  public static let capacity = 256
  private var words = SIMD4<UInt64>()

  /// Creates an empty set.
  public init() {}

  /// Creates a set with one core.
  public init(_ core: Int) {
    insert(core)
  }

  /// Whether the set is empty.
  public var isEmpty: Bool { words == SIMD4() }

  /// The number of cores in the set.
  public var count: Int {
    words.x.nonzeroBitCount + words.y.nonzeroBitCount + words.z.nonzeroBitCount
      + words.w.nonzeroBitCount
  }

  /// Returns whether the set contains `core`.
  public func contains(_ core: Int) -> Bool {
    words[core / 64] >> UInt64(core % 64) & 1 != 0
  }

  /// Inserts `core`.
  ///
  /// - Precondition: `core` is from 0 to 255.
  public mutating func insert(_ core: Int) {
    words[core / 64] |= 1 << UInt64(core % 64)
  }
}

/// Counts the reads, writes and transfers of cache lines that several cores use.
///
/// `Kind` distinguishes kinds of memory, which may share a line.
public struct SharingCount<Kind: Hashable & Sendable>: Sendable {
  /// The uses of one kind of memory.
  public struct Uses: Sendable, Hashable {
    /// The number of reads.
    public var reads = 0
    /// The number of writes.
    public var writes = 0
    /// The number of reads and writes that caused a transfer.
    public var transfers = 0

    /// Creates counts of zero.
    public init() {}
  }

  private struct Line {
    var users = CoreSet()
    var uses: [Kind: Uses] = [:]
  }

  private var coherence = CacheCoherence()
  private var lines: [UInt: Line] = [:]

  /// Creates empty caches, with no uses.
  public init() {}

  /// Performs an access by `core`, and counts it if `isCounted` is true.
  public mutating func access(
    _ address: UInt, of kind: Kind, by core: Int, isWrite: Bool, isCounted: Bool
  ) {
    let cost = coherence.access(address, by: core, isWrite: isWrite)
    guard isCounted else { return }
    let line = address / CacheCoherence.lineByteCount
    lines[line, default: Line()].users.insert(core)
    lines[line]!.uses[kind, default: Uses()].add(isWrite: isWrite, cost)
  }

  /// Returns the counted uses of memory of `kind`, in lines that more than one core has used.
  public func sharedUses(of kind: Kind) -> Uses {
    var sum = Uses()
    for line in lines.values where line.users.count > 1 {
      if let uses = line.uses[kind] { sum.add(uses) }
    }
    return sum
  }
}

extension SharingCount.Uses {
  fileprivate mutating func add(isWrite: Bool, _ cost: CacheCoherence.Cost) {
    if isWrite { writes += 1 } else { reads += 1 }
    if cost == .transfer { transfers += 1 }
  }

  fileprivate mutating func add(_ other: Self) {
    reads += other.reads
    writes += other.writes
    transfers += other.transfers
  }
}

/// Simulates the addresses of nodes on a machine with many cores.
///
/// Each core has an allocator with memory of its own. It first reuses the block that the core freed
/// last, as common allocators do. The addresses in the scheduler's arena are unsuitable: the arena
/// never reuses memory, and adjacent nodes in it may belong to different threads.
public struct CoreMemory: Sendable {
  /// Sizes of blocks are multiples of this.
  private static let granule: UInt = 16
  private static let byteCountOfCore: UInt = 1 << 40

  private struct Shelf: Hashable {
    let core: Int
    let byteCount: UInt
    let isApart: Bool
  }

  private var ends: [Int: UInt] = [:]
  private var free: [Shelf: [UInt]] = [:]
  private var shelves: [UInt: Shelf] = [:]

  /// Creates memory without blocks.
  public init() {}

  /// Returns the address of a new block.
  ///
  /// - Parameters:
  ///   - byteCount: The size of the node.
  ///   - core: The core that allocates it.
  ///   - isApart: Whether the block has a pair of cache lines of its own.
  public mutating func allocate(byteCount: Int, by core: Int, isApart: Bool) -> UInt {
    let unit = isApart ? 2 * CacheCoherence.lineByteCount : Self.granule
    let shelf = Shelf(
      core: core, byteCount: (UInt(max(byteCount, 1)) + unit - 1) / unit * unit, isApart: isApart)
    let block = free[shelf]?.popLast() ?? grow(core, by: shelf.byteCount, unit)
    shelves[block] = shelf
    return block
  }

  /// Frees a block. The next allocation of its size and kind by `core` reuses it.
  public mutating func deallocate(_ block: UInt, by core: Int) {
    guard let shelf = shelves.removeValue(forKey: block) else { return }
    let mine = Shelf(core: core, byteCount: shelf.byteCount, isApart: shelf.isApart)
    free[mine, default: []].append(block)
  }

  private mutating func grow(_ core: Int, by byteCount: UInt, _ unit: UInt) -> UInt {
    let end = ends[core] ?? UInt(core + 1) * Self.byteCountOfCore
    let block = (end + unit - 1) / unit * unit
    ends[core] = block + byteCount
    return block
  }
}
