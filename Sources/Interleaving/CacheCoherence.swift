// Which cache holds which line, by the MESI protocol, for any number of cores.
//
// A line is *modified* (one cache has it, changed), *exclusive* (one cache has it, as in memory),
// *shared* (some caches have it) or *invalid* (none has). A read needs a copy; a write needs the line
// alone. What costs is the line's way from one core to another, or the word to all others that their
// copies are void: a *transfer*. A fetch from memory of what no cache has is none.
//
// Caches are without end and lines leave them by invalidation alone; a step takes no time. So the counts
// are those of a machine with enough cache, whose cores go on in the order of the schedule.

/// The caches of a machine.
public struct CacheCoherence: Sendable {
  public static let lineByteCount: UInt = 64

  public enum State: Sendable, Hashable {
    case invalid, shared, exclusive, modified
  }

  public enum Cost: Sendable, Hashable {
    case hit, fetchFromMemory, transfer
  }

  fileprivate struct Line {
    var state = State.invalid
    var holders = CoreSet()
  }

  private var lines: [UInt: Line] = [:]

  public init() {}

  /// Lets `core` read or write at `address`; says what that costs.
  public mutating func access(_ address: UInt, by core: Int, isWrite: Bool) -> Cost {
    let number = address / Self.lineByteCount
    return isWrite
      ? lines[number, default: Line()].write(by: core)
      : lines[number, default: Line()].read(by: core)
  }

  /// How the line at `address` is held.
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

/// Some of the cores 0 to 255.
public struct CoreSet: Sendable, Hashable {
  public static let capacity = 256
  private var words = SIMD4<UInt64>()

  public init() {}

  public init(_ core: Int) {
    insert(core)
  }

  public var isEmpty: Bool { words == SIMD4() }

  public var count: Int {
    words.x.nonzeroBitCount + words.y.nonzeroBitCount + words.z.nonzeroBitCount
      + words.w.nonzeroBitCount
  }

  public func contains(_ core: Int) -> Bool {
    words[core / 64] >> UInt64(core % 64) & 1 != 0
  }

  public mutating func insert(_ core: Int) {
    words[core / 64] |= 1 << UInt64(core % 64)
  }
}

/// How lines of memory are used by many cores: by whom, how often, and how often they moved.
///
/// `Kind` says what memory is for, so that uses can be told apart where kinds share a line.
public struct SharingCount<Kind: Hashable & Sendable>: Sendable {
  /// Uses of one kind of memory, or a sum of such.
  public struct Uses: Sendable, Hashable {
    public var reads = 0
    public var writes = 0
    public var transfers = 0

    public init() {}
  }

  private struct Line {
    var users = CoreSet()
    var uses: [Kind: Uses] = [:]
  }

  private var coherence = CacheCoherence()
  private var lines: [UInt: Line] = [:]

  public init() {}

  /// Lets `core` use the memory at `address`; counts it if `isCounted`.
  public mutating func access(
    _ address: UInt, of kind: Kind, by core: Int, isWrite: Bool, isCounted: Bool
  ) {
    let cost = coherence.access(address, by: core, isWrite: isWrite)
    guard isCounted else { return }
    let line = address / CacheCoherence.lineByteCount
    lines[line, default: Line()].users.insert(core)
    lines[line]!.uses[kind, default: Uses()].add(isWrite: isWrite, cost)
  }

  /// The counted uses of lines of this kind that more than one core has used.
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

/// Where nodes would lie on a machine with many cores: each core's allocator has memory of its own and
/// hands out first what that core gave back last, as the usual allocators do.
///
/// A schedule's own memory will not do: it is never used again, and neighbours in it belong to anyone.
public struct CoreMemory: Sendable {
  /// Blocks are of so many bytes, or a multiple.
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

  public init() {}

  /// Memory for a node made by `core`; one that stands apart begins two lines of its own.
  public mutating func allocate(byteCount: Int, by core: Int, isApart: Bool) -> UInt {
    let unit = isApart ? 2 * CacheCoherence.lineByteCount : Self.granule
    let shelf = Shelf(
      core: core, byteCount: (UInt(max(byteCount, 1)) + unit - 1) / unit * unit, isApart: isApart)
    let block = free[shelf]?.popLast() ?? grow(core, by: shelf.byteCount, unit)
    shelves[block] = shelf
    return block
  }

  /// Takes back what `allocate` returned; `core` gets it next.
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
