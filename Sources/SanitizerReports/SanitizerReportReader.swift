/// A reader of the sanitizer output of one process, line by line.
struct SanitizerReportReader {
  private(set) var leaks: [LeakedStack] = []
  private(set) var memoryErrors: [MemoryError] = []
  /// The identifiers of the processes that LeakSanitizer checked.
  private(set) var checked: Set<Int> = []
  private(set) var obstacles: [String] = []
  private(set) var suppressed: [String: Int] = [:]

  private enum Part {
    case none, leak(LeakedStack), memoryError(MemoryError), suppressions
  }
  private var part = Part.none
  /// The bytes of the leaks since the last heading; nil outside of a leak report.
  private var bytes: Int?

  mutating func read(_ line: Substring) {
    if line.contains("ERROR: LeakSanitizer:") {
      finish()
      bytes = 0
    } else if line.hasPrefix("SUMMARY:"), let bytes {
      readSummary(line, of: bytes)
    } else if let frame = StackFrame(sanitizerLine: line) {
      add(frame)
    } else if let leak = Self.leak(line) {
      finishPart()
      bytes = bytes?.addingWithoutOverflow(leak.bytes)
      part = .leak(leak)
    } else if line.hasPrefix("Suppressions used:") {
      finishPart()
      part = .suppressions
    } else if case .suppressions = part {
      addSuppression(line)
    } else if case .memoryError(let error) = part, error.frames.isEmpty {
      // A line such as "READ of size 8 at …", before the stack.
    } else {
      finishPart()
      if line.hasPrefix("==") { readMessage(line) }
    }
  }

  /// Ends the current part. Records an obstacle if a leak report is incomplete or unreadable,
  /// because then the absence of leaks proves nothing.
  mutating func finish() {
    finishPart()
    if bytes != nil { obstacles.append("a leak report could not be read") }
    bytes = nil
  }

  /// Reads `SUMMARY: AddressSanitizer: 88 byte(s) leaked in 3 allocation(s).`
  private mutating func readSummary(_ line: Substring, of bytes: Int) {
    let words = line.split(separator: " ")
    let isLeaks = words.count == 8 && words[4] == "leaked"
    if isLeaks, bytes > 0, Int(words[2]) == bytes { self.bytes = nil }
    finish()
  }

  private mutating func finishPart() {
    switch part {
    case .leak(let leak): leaks.append(leak)
    case .memoryError(let error): memoryErrors.append(error)
    case .none, .suppressions: break
    }
    part = .none
  }

  private mutating func add(_ frame: StackFrame) {
    switch part {
    case .leak(var leak):
      leak.frames.append(frame)
      part = .leak(leak)
    case .memoryError(var error):
      error.frames.append(frame)
      part = .memoryError(error)
    case .none, .suppressions: break
    }
  }

  /// Reads `==123==ERROR: AddressSanitizer: heap-use-after-free on address …`, or LeakSanitizer's
  /// last line: `==123==Thread T0/123 was created by T-1`.
  private mutating func readMessage(_ line: Substring) {
    let words = line.split(separator: " ")
    if line.contains("==Thread T"), line.contains(" was created by ") {
      let number = line.drop { $0 == "=" }.prefix(while: \.isNumber)
      if let process = Int(number) { checked.insert(process) }
    } else if line.contains("LeakSanitizer has encountered a fatal error") {
      obstacles.append(
        "LeakSanitizer needs a process that it can trace, and this one cannot be traced; allow "
          + "ptrace, in a container with the capability SYS_PTRACE, and run the process without a "
          + "debugger")
    } else if words.count > 2, words[0].hasSuffix("ERROR:"), words[1] == "AddressSanitizer:" {
      part = .memoryError(MemoryError(kind: String(words[2])))
    }
  }

  /// Parses `Indirect leak of 96 byte(s) in 3 object(s) allocated from:`.
  private static func leak(_ line: Substring) -> LeakedStack? {
    let words = line.split(separator: " ")
    guard words.count == 10, words[0] == "Direct" || words[0] == "Indirect", words[1] == "leak",
      let bytes = Int(words[3]), let objects = Int(words[6]), bytes >= 0, objects > 0
    else { return nil }
    return LeakedStack(objects: objects, bytes: bytes, frames: [])
  }

  /// Reads `     12        872 s6XCTest11XCTMainMisc`.
  private mutating func addSuppression(_ line: Substring) {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count == 3, let count = Int(words[0]), count > 0 else {
      if line.hasPrefix("----") { part = .none }
      return
    }
    suppressed[String(words[2])] = count
  }
}

extension StackFrame {
  /// Parses a frame such as `#3 0x5579e3784058 in function /path/File.swift:13:19` or, without a
  /// known source, `… in function (/path/library.so+0x46fa6e) (BuildId: …)`; nil for any other
  /// line.
  init?(sanitizerLine: Substring) {
    let line = sanitizerLine.drop { $0 == " " }
    guard line.first == "#" else { return nil }
    let words = line.dropFirst().split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[0].allSatisfy(\.isNumber), words[1].hasPrefix("0x") else {
      return nil
    }
    let rest = words[2].hasPrefix("in ") ? words[2].dropFirst(3) : words[2]
    if let start = rest.firstIndex(of: " (/") ?? (rest.hasPrefix("(/") ? rest.startIndex : nil) {
      let name = rest[..<start]
      self.init(
        function: name.isEmpty ? "an unnamed function" : String(name),
        image: Self.image(rest[start...]))
    } else {
      // An absolute path may contain spaces, and begins at the first " /". Any other path is
      // assumed to begin after the last space.
      let end = rest.firstIndex(of: " /") ?? rest.lastIndex(of: " ") ?? rest.endIndex
      self.init(function: String(rest[..<end]))
      setPlace(rest[end...].dropFirst())
    }
  }

  /// Returns the path between the parenthesis and the offset.
  private static func image(_ text: Substring) -> String {
    let path = text.drop { $0 == " " || $0 == "(" }
    return String(path[..<(path.firstIndex(of: "+0x") ?? path.endIndex)])
  }

  /// Parses `path`, `path:line` or `path:line:column`.
  private mutating func setPlace(_ text: Substring) {
    var path = text
    var numbers: [Int] = []
    while numbers.count < 2, let colon = path.lastIndex(of: ":"),
      let number = Int(path[path.index(after: colon)...]), number > 0
    {
      numbers.insert(number, at: 0)
      path = path[..<colon]
    }
    file = path.isEmpty ? nil : String(path)
    line = numbers.first
    column = numbers.count == 2 ? numbers[1] : nil
  }
}

extension Substring {
  /// Returns the start of the first occurrence of a text.
  fileprivate func firstIndex(of text: String) -> Index? { firstRange(of: text)?.lowerBound }
}
