/// One step of an execution, for people.
public struct Step: Sendable, Hashable {
  public enum Kind: UInt8, Sendable, CaseIterable {
    case load, store, update, exchange, failedExchange
    /// A store of this thread becomes visible to the others.
    case drain
    case read, write
    case allocate, deallocate
    case wait, wake, spin, lock, unlock, mark, lastRelease
    case suspend
    /// A full barrier on every thread.
    case barrier
  }

  /// The number of the thread; 0 is the scenario itself.
  public var thread: Int
  public var kind: Kind
  public var ordering: Ordering?
  public var site: Site
  /// The variable: `node 3 + 16` in the third node allocated, else `word 2` in the order of first
  /// use.
  public var variable: String?
  /// What was read or written; of an update or exchange, the new value.
  public var value: UInt64?
  /// Of an update or exchange, the value before.
  public var previous: UInt64?
  /// The node that the value is the address of, as `variable` says it.
  public var valueNode: String?
}

/// A memory ordering, weakest first.
public enum Ordering: UInt32, Sendable, CaseIterable {
  case relaxed = 0
  case acquiring = 2
  case releasing = 3
  case acquiringAndReleasing = 4
  case sequentiallyConsistent = 5
}

extension Step: CustomStringConvertible {
  public var description: String {
    var words = ["\(thread)", "\(kind)"]
    if let variable { words.append(variable) }
    if let previous { words.append("\(previous) →") }
    if let value { words.append(valueNode ?? "\(value)") }
    if let ordering { words.append("\(ordering)") }
    return words.joined(separator: " ") + "  \(site)"
  }
}
