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
