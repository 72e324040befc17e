import Linearizability
import SeededTesting
import Testing

/// Histories as JSON Lines, both ways.
@Suite struct HistoryFileTests {
  private typealias Registers = KeyedModel<RegisterModel<String>, String?>

  private static let registers = Registers(RegisterModel())
  private static let good = line(0, 10, 25, "write \"y\"", key: "x")

  private static func error(in text: String) -> HistoryFileError? {
    do {
      _ = try HistoryFile.history(in: Array(text.utf8), of: registers)
      return nil
    } catch {
      return error
    }
  }

  @Test func `what is written is read back`() throws {
    let model = DictionaryModel<String, String>()
    let operations: [DictionaryOperation<String>] = [
      .get, .set("a\"\\\n\u{1}\u{1F600}é"), .remove, .insertIfAbsent(""), .append("x"),
      .compareAndSet(expected: nil, new: "v"),
    ]
    let outputs: [DictionaryOutput<String>?] = [
      .value(nil), .done, .value("w"), .value(""), nil, .exchanged(true),
    ]
    let history = History(
      zip(operations, outputs).enumerated().map { number, pair in
        Operation<DictionaryInput<String, String>, DictionaryOutput<String>>(
          worker: number, call: 3, return: pair.1 == nil ? nil : .max,
          input: DictionaryInput(pair.0, "key \(number)"), output: pair.1)
      })
    let text = HistoryFile.text(of: history, model)
    let read = try HistoryFile.history(in: Array(text.utf8), of: model)
    #expect(read.operations == history.operations)
  }

  @Test func `the line of the documentation is what is written`() throws {
    let documented =
      #"{"worker":0,"call":10,"return":25,"operation":"append","key":"x","arguments":["y"],"result":null}"#
    let model = DictionaryModel<String, String>()
    let history = try HistoryFile.history(in: Array(documented.utf8), of: model)
    #expect(HistoryFile.text(of: history, model) == documented + "\n")
  }

  @Test func `spaces, escapes, any order of fields, CR LF and a byte order mark are read`() throws {
    let text =
      "\u{FEFF}\r\n { \"result\" : null , \"arguments\" : [ \"\\u0079\\ud83d\\ude00\" ] ,"
      + "\"operation\":\"write\", \"return\":2,\"call\":1,\"worker\":0 } \r\n\r\n"
    let history = try HistoryFile.history(in: Array(text.utf8), of: Self.registers)
    #expect(history.operations.map(\.input.input) == [.write("y\u{1F600}")])
    #expect(history.operations[0].input.key == nil)
  }

  @Test(arguments: [
    ("", 1, 1, "an operation"),
    ("\(good)\n\(good.dropLast(9))", 2, 88, "'\"'"),
    ("\(good)\n\n\(good.dropLast(1))", 3, 96, "',' or '}'"),
    ("nonsense", 1, 1, "'{'"),
    ("{}", 1, 2, "the name of a field"),
    ("\(good)\(good)", 1, 97, "the end of the line"),
    (good.with(#""worker":0"#, #""worker":-1"#), 1, 11, "a whole number from 0 to"),
    (good.with(#""worker":0"#, #""worker":2147483648"#), 1, 11, "a whole number from 0 to"),
    (good.with(#""call":10"#, #""call":1.5"#), 1, 20, "a whole number from 0 to"),
    (good.with(#""call":10"#, #""call":18446744073709551616"#), 1, 20, "a whole number from 0 to"),
    (good.with(#""call":10"#, #""call":"10""#), 1, 20, "a whole number"),
    (good.with(#""call":10"#, #""call":26"#), 1, 32, "a stamp of at least 26"),
    (good.with(#""call":10,"#, ""), 1, 1, "the field 'call'"),
    (good.with(#""call":10"#, #""call":10,"call":10"#), 1, 23, "each field once"),
    (good.with(#""call":10"#, #""calls":10"#), 1, 13, "one of worker, call"),
    (good.with("write", "wrote"), 1, 47, "one of read, write, compare-and-set"),
    (good.with(#"["y"]"#, #"["y","z"]"#), 1, 77, "1 argument: value"),
    (good.with(#"["y"]"#, "[[]]"), 1, 78, "no list in a list"),
    (good.with(#"["y"]"#, "[7]"), 1, 77, "a string"),
    (good.with(#"["y"]"#, #""y""#), 1, 77, "a list"),
    (good.with(#""key":"x""#, #""key":7"#), 1, 61, "a string or null"),
    (good.with(#""result":null"#, #""result":"z""#), 1, 92, "null"),
    (good.with(#""result":null"#, #""result":nil"#), 1, 92, "a value"),
    (good.with("25", "null").with(#""result":null"#, #""result":"z""#), 1, 94, "null"),
    (good.with("\"y\"", "\"\\ud800\""), 1, 79, "a pair of surrogates"),
    (good.with("\"y\"", "\"\\q\""), 1, 80, "one of"),
    (good.with("\"y\"", "\"\t\""), 1, 79, "no control character"),
  ])
  func `a bad line is named, with the place and what was expected`(
    text: String, line: Int, column: Int, expected: String
  ) throws {
    let error = try #require(Self.error(in: text))
    #expect(error.line == line)
    #expect(error.column == column, "\(error)")
    #expect(error.expected.hasPrefix(expected), "\(error)")
    #expect(!error.description.contains { $0.isNewline })
  }

  @Test(arguments: [(11, 24), (25, 30), (9, 11), (10, 25)] as [(Int, Int)])
  func `a worker that calls during its last operation is refused`(call: Int, end: Int) throws {
    let second = Self.good.with(#""call":10,"return":25"#, #""call":\#(call),"return":\#(end)"#)
    let error = Self.error(in: "\(Self.good)\n\(second)")
    if call >= 25 {
      #expect(error == nil)
    } else {
      // The later call, in the second line unless that one begins first.
      let found = max(call, 10)
      let expected = "expected a call after the last operation of worker 0 has returned, found"
      #expect(
        "\(try #require(error))" == "line \(call < 10 ? 1 : 2), column 20: \(expected) \(found)")
    }
    #expect(Self.error(in: "\(Self.good)\n\(second.with("\"worker\":0", "\"worker\":1"))") == nil)
    let unending = Self.good.with("25", "null")
    #expect(Self.error(in: "\(unending)\n\(second)") != nil)
  }

  @Test func `bytes that are no UTF-8 are refused`() throws {
    var bytes = Array(Self.good.utf8)
    bytes[try #require(bytes.lastIndex(of: UInt8(ascii: "y")))] = 0xFF
    do {
      _ = try HistoryFile.history(in: bytes, of: Self.registers)
      Issue.record("0xFF is read")
    } catch {
      #expect("\(error)" == "line 1, column 78: expected text in UTF-8, found other bytes")
    }
  }

  @Test func `a dictionary's operation without a key is refused`() {
    let text = line(0, 1, 2, "get")
    let model = DictionaryModel<String, String>()
    #expect(throws: HistoryFileError.self) {
      try HistoryFile.history(in: Array(text.utf8), of: model)
    }
  }

  @Test func `whatever is damaged, reading and checking end`() {
    let original = Array(
      [Self.good, line(1, 1, nil, "read"), Self.good].joined(separator: "\n").utf8)
    var random = SeededGenerator(seed: 1)
    var refused = 0
    for _ in 0..<5000 {
      var bytes = original
      for _ in 0...random.number(below: 3) {
        let place = random.number(below: bytes.count)
        switch random.number(below: 3) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: place)
        default: bytes.insert(Array("{}[]\",:\\0un".utf8)[random.number(below: 11)], at: place)
        }
      }
      if random.chance(20) { bytes.removeLast(random.number(below: bytes.count)) }
      do {
        let history = try HistoryFile.history(in: bytes, of: Self.registers)
        #expect(!Checker(Self.registers).check(history).isUnknown)
      } catch {
        #expect(error.line >= 1 && error.line <= 5 && error.column >= 1)
        refused += 1
      }
    }
    #expect(refused > 2500 && refused < 5000)
  }
}

extension String {
  fileprivate func with(_ old: String, _ new: String) -> String {
    guard let range = firstRange(of: old) else { return "the test is wrong" }
    return replacingCharacters(in: range, with: new)
  }

  private func replacingCharacters(in range: Range<Index>, with new: String) -> String {
    self[..<range.lowerBound] + new + self[range.upperBound...]
  }
}
