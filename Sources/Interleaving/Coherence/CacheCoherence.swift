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
