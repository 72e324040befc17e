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
