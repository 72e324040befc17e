/// Every decision of one execution, in order: with the same scenario it gives the same execution.
///
/// Where the decisions end before the execution does, stores are seen at once and the running
/// thread goes on.
public struct Schedule: Sendable, Hashable {
  public var memory: MemoryModel
  public var decisions: [Decision]

  public init(memory: MemoryModel, decisions: [Decision]) {
    self.memory = memory
    self.decisions = decisions
  }

  /// How often another thread runs than before.
  public var switchCount: Int {
    let threads = decisions.compactMap { if case .run(let thread) = $0 { thread } else { nil } }
    return zip(threads, threads.dropFirst()).count { $0 != $1 }
  }
}

/// What happens next. Threads are numbered from 1 in the order of their creation; the scenario
/// itself is 0.
public enum Decision: Sendable, Hashable {
  /// The thread goes on until its next step is due.
  case run(thread: Int)
  /// What is at this place of the thread's store buffer becomes visible.
  case drain(thread: Int, entry: Int)
  /// The thread takes no step until all others have ended.
  case suspend(thread: Int)
}

// One word each, as they are kept while an execution runs.
extension Decision {
  private static let entryBits: UInt16 = 5
  private static let kindShift: UInt16 = 13

  init(code: UInt16) {
    let thread = Int(code >> Self.entryBits & 0xff)
    switch code >> Self.kindShift {
    case 0: self = .run(thread: thread)
    case 1: self = .drain(thread: thread, entry: Int(code & 0x1f))
    default: self = .suspend(thread: thread)
    }
  }

  /// The thread that the code of a decision lets run, if it does.
  @inline(__always)
  static func threadToRun(_ code: UInt16) -> Int? {
    code >> kindShift == 0 ? Int(code >> entryBits) : nil
  }

  @inline(__always)
  static func runCode(_ thread: Int32) -> UInt16 {
    UInt16(truncatingIfNeeded: thread) &<< entryBits
  }

  var code: UInt16 {
    switch self {
    case .run(let thread): Self.code(kind: 0, thread, 0)
    case .drain(let thread, let entry): Self.code(kind: 1, thread, entry)
    case .suspend(let thread): Self.code(kind: 2, thread, 0)
    }
  }

  private static func code(kind: UInt16, _ thread: Int, _ entry: Int) -> UInt16 {
    kind << kindShift | UInt16(truncatingIfNeeded: thread) << entryBits
      | UInt16(truncatingIfNeeded: entry)
  }
}
