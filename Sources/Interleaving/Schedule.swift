/// All decisions of one execution in order. The same scenario with the same schedule executes the
/// same steps.
///
/// After the last decision of a shorter schedule, stores become visible immediately and the running
/// thread continues.
public struct Schedule: Sendable, Hashable {
  /// The memory model of the execution.
  public var memory: MemoryModel
  /// The decisions.
  public var decisions: [Decision]
  /// The stores that loads read before they execute, in the order of these loads.
  public var promises: [PromisedStore]

  /// Creates a schedule.
  public init(memory: MemoryModel, decisions: [Decision], promises: [PromisedStore] = []) {
    self.memory = memory
    self.decisions = decisions
    self.promises = promises
  }

  /// The number of switches from one thread to another.
  public var switchCount: Int {
    let threads = decisions.compactMap { if case .run(let thread) = $0 { thread } else { nil } }
    return zip(threads, threads.dropFirst()).count { $0 != $1 }
  }
}

/// A store that a load reads before its thread executes it. It occurs with
/// `MemoryModel.reorderedLoads`.
public struct PromisedStore: Sendable, Hashable, BitwiseCopyable {
  /// The number of the thread that executes the store.
  public var thread: Int
  /// The number of the store among the atomic accesses of its thread, from 1.
  public var access: Int
  /// The value.
  public var value: Int

  /// Creates a promise.
  public init(thread: Int, access: Int, value: Int) {
    self.thread = thread
    self.access = access
    self.value = value
  }
}

/// A decision of the scheduler. Threads have numbers from 1 in the order of their creation.
public enum Decision: Sendable, Hashable {
  /// The thread takes its pending step and runs up to the next one.
  case run(thread: Int)
  /// The thread begins and runs up to its first step. Without this decision, the first `run` begins
  /// the thread and takes its first step as well.
  case begin(thread: Int)
  /// The entry at this index of the thread's store buffer becomes visible.
  case drain(thread: Int, entry: Int)
  /// The thread takes no step until all others have ended.
  case suspend(thread: Int)
  /// The thread's load returns a value that is `age` values older than the newest one.
  case read(thread: Int, age: Int)
  /// The thread's load returns the value of a store that executes later. `promise` is an index of
  /// `Schedule.promises`.
  case readPromise(thread: Int, promise: Int)
}

// The code of a decision has 16 bits: an execution stores its decisions as codes.
extension Decision {
  private static let entryBits: UInt16 = 5
  private static let kindShift: UInt16 = 13

  init(code: UInt16) {
    let thread = Int(code >> Self.entryBits & 0xff)
    switch code >> Self.kindShift {
    case 0: self = .run(thread: thread)
    case 1: self = .drain(thread: thread, entry: Int(code & 0x1f))
    case 2: self = .suspend(thread: thread)
    case 3: self = .begin(thread: thread)
    case 4: self = .read(thread: thread, age: Int(code & 0x1f))
    default: self = .readPromise(thread: thread, promise: Int(code & 0x1f))
    }
  }

  /// Returns the thread that a decision runs; `nil` for the code of another decision.
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
    case .begin(let thread): Self.code(kind: 3, thread, 0)
    case .read(let thread, let age): Self.code(kind: 4, thread, age)
    case .readPromise(let thread, let promise): Self.code(kind: 5, thread, promise)
    }
  }

  private static func code(kind: UInt16, _ thread: Int, _ entry: Int) -> UInt16 {
    kind << kindShift | UInt16(truncatingIfNeeded: thread) << entryBits
      | UInt16(truncatingIfNeeded: entry)
  }
}

// A schedule as one word that needs no quoting in a shell. `1sb:b1,1x3,2,d1.0,s2` means: version 1,
// store buffers; thread 1 begins and then takes three steps, thread 2 begins with a step, entry 0
// of thread 1's buffer is drained, thread 2 is suspended. `r2.1`: the load of thread 2 returns the
// value before the newest one. `p2.0`: it returns the value of the first promise. The promises
// follow a second colon: `:1.5.3` means that access 5 of thread 1 stores 3.

/// An error in the text of a schedule.
public enum ScheduleError: Error, Hashable {
  /// The text has a version other than 1.
  case otherVersion(String)
  /// The text at `column`, from 1, is not the expected one.
  case malformed(column: Int, expected: String)
}

extension ScheduleError: CustomStringConvertible {
  /// The message.
  public var description: String {
    switch self {
    case .otherVersion(let version):
      "the schedule has version \(version), but this build reads version \(Schedule.version)"
    case .malformed(let column, let expected):
      "column \(column) of the schedule: expected \(expected)"
    }
  }
}

extension Schedule: CustomStringConvertible {
  static let version = "1"

  /// The text that `init(parsing:)` reads.
  public var description: String {
    var runs: [(decision: Decision, count: Int)] = []
    for decision in decisions {
      if runs.last?.decision == decision {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((decision, 1))
      }
    }
    let words = runs.map { $0.count == 1 ? $0.decision.text : "\($0.decision.text)x\($0.count)" }
    let promised = promises.map { "\($0.thread).\($0.access).\($0.value)" }
    return "\(Self.version)\(memory.rawValue):" + words.joined(separator: ",")
      + (promised.isEmpty ? "" : ":" + promised.joined(separator: ","))
  }
}

extension Decision {
  fileprivate var text: String {
    switch self {
    case .run(let thread): "\(thread)"
    case .drain(let thread, let entry): "d\(thread).\(entry)"
    case .suspend(let thread): "s\(thread)"
    case .begin(let thread): "b\(thread)"
    case .read(let thread, let age): "r\(thread).\(age)"
    case .readPromise(let thread, let promise): "p\(thread).\(promise)"
    }
  }
}

extension Schedule {
  /// The maximum number of decisions of an execution.
  static let longest = 1 << 24

  /// Creates a schedule from its `description`.
  ///
  /// - Throws: The first place where the text is malformed.
  public init(parsing text: String) throws(ScheduleError) {
    var reader = ScheduleReader(text)
    memory = try reader.header()
    decisions = []
    promises = []
    while !reader.isAtEnd, !reader.skip(":") {
      if !decisions.isEmpty { try reader.expect(",", "a comma or the end") }
      let decision = try reader.decision()
      let count = reader.skip("x") ? try reader.number(1...Self.longest - decisions.count) : 1
      decisions.append(contentsOf: repeatElement(decision, count: count))
    }
    while !reader.isAtEnd {
      if !promises.isEmpty { try reader.expect(",", "a comma or the end") }
      promises.append(try reader.promise())
    }
  }
}

/// Reads a schedule's text from left to right.
struct ScheduleReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  var isAtEnd: Bool { position == bytes.count }

  mutating func header() throws(ScheduleError) -> MemoryModel {
    let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard !digits.isEmpty else { throw malformed("the version of a schedule") }
    let version = String(decoding: digits, as: UTF8.self)
    guard version == Schedule.version else { throw .otherVersion(version) }
    position = digits.count
    let name = bytes[position...].prefix { $0 != UInt8(ascii: ":") }
    guard let memory = MemoryModel(rawValue: String(decoding: name, as: UTF8.self)) else {
      throw malformed("sc, sb or rl")
    }
    position += name.count
    try expect(":", "a colon")
    return memory
  }

  mutating func decision() throws(ScheduleError) -> Decision {
    if skip("d") {
      let (thread, entry) = try pair(Schedule.mostEntries)
      return .drain(thread: thread, entry: entry)
    }
    if skip("r") {
      let (thread, age) = try pair(Schedule.mostValues)
      return .read(thread: thread, age: age)
    }
    if skip("p") {
      let (thread, promise) = try pair(PromisedStore.mostInExecution)
      return .readPromise(thread: thread, promise: promise)
    }
    if skip("b") { return .begin(thread: try number(1...Schedule.mostThreads)) }
    if skip("s") { return .suspend(thread: try number(1...Schedule.mostThreads)) }
    return .run(thread: try number(1...Schedule.mostThreads))
  }

  mutating func promise() throws(ScheduleError) -> PromisedStore {
    let thread = try number(1...Schedule.mostThreads)
    try expect(".", "a full stop")
    let access = try number(1...Schedule.longest)
    try expect(".", "a full stop")
    return PromisedStore(
      thread: thread, access: access, value: try number(0...PromisedStore.valueBound - 1))
  }

  /// Reads a thread and a number below `bound`.
  private mutating func pair(_ bound: Int) throws(ScheduleError) -> (Int, Int) {
    let thread = try number(1...Schedule.mostThreads)
    try expect(".", "a full stop")
    return (thread, try number(0...bound - 1))
  }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func expect(_ character: Unicode.Scalar, _ expected: String) throws(ScheduleError) {
    guard skip(character) else { throw malformed(expected) }
  }

  mutating func number(_ range: ClosedRange<Int>) throws(ScheduleError) -> Int {
    let digits = bytes[position...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let number = Int(String(decoding: digits, as: UTF8.self)), range.contains(number) else {
      throw malformed("a number from \(range.lowerBound) to \(range.upperBound)")
    }
    position += digits.count
    return number
  }

  private func malformed(_ expected: String) -> ScheduleError {
    .malformed(column: position + 1, expected: expected)
  }
}

extension Schedule {
  /// The maximum number of virtual threads of an execution, besides the scenario.
  static let mostThreads = 160
  /// The maximum number of entries of a thread's store buffer.
  static let mostEntries = 32
  /// The maximum number of values of a word that a load may return.
  static let mostValues = 8
}
