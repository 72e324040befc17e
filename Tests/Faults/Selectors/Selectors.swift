// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Glibc

// `scripts/test-faults` writes `SeededFault`, with a case for each patch, and `operationCount`.

extension SeededFault {
  /// The fault that this process activates.
  nonisolated(unsafe) public static var selected: SeededFault?

  public var isSelected: Bool { Self.selected == self }
}

/// The atomic operations by number. A process weakens one of them.
public enum SeededOrdering {
  nonisolated(unsafe) public static var selectedOperation = -1
  nonisolated(unsafe) public static var selectedOrdering: UInt32 = 0

  // Shared with child processes.
  nonisolated(unsafe) static let reached = mmap(
    nil, operationCount, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0
  ).assumingMemoryBound(to: UInt8.self)

  public static func forgetReached() { reached.update(repeating: 0, count: operationCount) }

  public static var reachedOperations: [Int] { (0..<operationCount).filter { reached[$0] != 0 } }

  public static func at(_ operation: Int, _ ordering: AtomicLoadOrdering) -> AtomicLoadOrdering {
    isSelected(operation) ? AtomicLoadOrdering(rawValue: selectedOrdering) : ordering
  }

  public static func at(_ operation: Int, _ ordering: AtomicStoreOrdering) -> AtomicStoreOrdering {
    isSelected(operation) ? AtomicStoreOrdering(rawValue: selectedOrdering) : ordering
  }

  public static func at(_ operation: Int, _ ordering: AtomicUpdateOrdering) -> AtomicUpdateOrdering
  {
    isSelected(operation) ? AtomicUpdateOrdering(rawValue: selectedOrdering) : ordering
  }

  private static func isSelected(_ operation: Int) -> Bool {
    reached[operation] = 1
    return operation == selectedOperation
  }
}
