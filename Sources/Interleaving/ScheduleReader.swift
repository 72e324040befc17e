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
      throw malformed("sc or sb")
    }
    position += name.count
    try expect(":", "a colon")
    return memory
  }

  mutating func decision() throws(ScheduleError) -> Decision {
    if skip("d") {
      let thread = try number(1...Schedule.mostThreads)
      try expect(".", "a full stop")
      return .drain(thread: thread, entry: try number(0...StoreBuffer.capacity - 1))
    }
    if skip("s") { return .suspend(thread: try number(1...Schedule.mostThreads)) }
    return .run(thread: try number(1...Schedule.mostThreads))
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
  /// The most virtual threads of an execution, besides the scenario itself.
  static let mostThreads = 160
}
