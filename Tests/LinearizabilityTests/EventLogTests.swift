import Linearizability
import SeededTesting
import Testing

/// The logs of Jepsen's etcd test and of porcupine's key-value test.
@Suite struct EventLogTests {
  private static let registers = KeyedModel<RegisterModel<String>, String?>(RegisterModel())
  private static let store = DictionaryModel<String, String>(initialValue: "")

  /// Returns lines of Jepsen's form; each text is a process, a type, a function and a value.
  private static func jepsen(_ events: [String]) -> String {
    events.map { event in
      let words = event.split(separator: " ", maxSplits: 3)
      let rest = words.dropFirst(3).joined()
      return "INFO  jepsen.util - \(words[0])\t:\(words[1])\t:\(words[2])\t\(rest)\n"
    }.joined()
  }

  /// Returns lines of porcupine's form; each text is a process, a type, a function, a key without
  /// quotation marks and a value.
  private static func porcupine(_ events: [String]) -> String {
    events.map { event in
      let words = event.split(separator: " ", maxSplits: 4)
      return """
        {:process \(words[0]), :type :\(words[1]), :f :\(words[2]), :key "\(words[3])", \
        :value \(words[4])}

        """
    }.joined()
  }

  private static func isLinearizable<Model: RecordedModel>(
    _ text: String, _ model: Model, _ format: HistoryFile.Format
  ) throws -> Bool {
    let bytes = Array(text.utf8)
    #expect(HistoryFile.format(of: bytes) == format)
    let history = try HistoryFile.history(in: bytes, of: model, format: format)
    let verdict = Checker(model).check(history)
    #expect(!verdict.isUnknown)
    return verdict.isLinearizable
  }

  private static func error(in text: String, _ format: HistoryFile.Format) -> HistoryFileError? {
    do {
      if format == .porcupine {
        _ = try HistoryFile.history(in: Array(text.utf8), of: store, format: format)
      } else {
        _ = try HistoryFile.history(in: Array(text.utf8), of: registers, format: format)
      }
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    // A register has no value at first, then the last one written.
    (["0 invoke read nil", "0 ok read nil"], true),
    (["0 invoke read nil", "0 ok read 1"], false),
    (["0 invoke write 1", "0 ok write 1", "1 invoke read nil", "1 ok read 1"], true),
    (["0 invoke write 1", "0 ok write 1", "1 invoke read nil", "1 ok read nil"], false),
    // A compare-and-set fails exactly if the value differs.
    (["0 invoke write 1", "0 ok write 1", "1 invoke cas [1 2]", "1 ok cas [1 2]"], true),
    (["0 invoke write 1", "0 ok write 1", "1 invoke cas [1 2]", "1 fail cas [1 2]"], false),
    (["0 invoke write 1", "0 ok write 1", "1 invoke cas [2 1]", "1 ok cas [2 1]"], false),
    (["0 invoke write 1", "0 ok write 1", "1 invoke cas [2 1]", "1 fail cas [2 1]"], true),
  ])
  func `operations of Jepsen's log mean what they mean in etcd`(
    events: [String], expected: Bool
  ) throws {
    #expect(
      try Self.isLinearizable(Self.jepsen(events), Self.registers, .jepsen) == expected,
      "\(events)")
  }

  @Test(arguments: [
    // It may take effect soon, late or never, but not before its call, and only once.
    (["0 invoke write 1", "0 info write :timed-out", "1 invoke read nil", "1 ok read 1"], true),
    (["0 invoke write 1", "0 info write :timed-out", "1 invoke read nil", "1 ok read nil"], true),
    (
      [
        "0 invoke write 1", "0 info write :timed-out", "1 invoke read nil", "1 ok read nil",
        "1 invoke read nil", "1 ok read 1",
      ], true
    ),
    (
      [
        "0 invoke write 1", "0 info write :timed-out", "1 invoke read nil", "1 ok read 1",
        "1 invoke read nil", "1 ok read nil",
      ], false
    ),
    (["1 invoke read nil", "1 ok read 1", "0 invoke write 1", "0 info write :timed-out"], false),
    // The log may end first.
    (["0 invoke write 1", "1 invoke read nil", "1 ok read 1"], true),
    (["0 invoke cas [1 2]", "0 info cas :timed-out", "1 invoke read nil", "1 ok read 2"], false),
    // What failed did not happen, and a read without a result says nothing.
    (["0 invoke write 1", "0 fail write 1", "1 invoke read nil", "1 ok read 1"], false),
    (["0 invoke write 1", "0 fail write :no-leader", "1 invoke read nil", "1 ok read nil"], true),
    (["0 invoke cas [1 2]", "0 fail cas :no-leader", "1 invoke read nil", "1 ok read nil"], true),
    (
      [
        "0 invoke read nil", "0 fail read :timed-out", "0 invoke read nil", "0 ok read nil",
      ], true
    ),
    // The nemesis is no process.
    ([":nemesis info start \"Cut off n1\"", "0 invoke read nil", "0 ok read nil"], true),
  ])
  func `an operation whose outcome is unknown takes effect later or never`(
    events: [String], expected: Bool
  ) throws {
    #expect(
      try Self.isLinearizable(Self.jepsen(events), Self.registers, .jepsen) == expected,
      "\(events)")
  }

  @Test(arguments: [
    (["0 invoke get x nil", "0 ok get x \"\""], true),
    (["0 invoke get x nil", "0 ok get x \"a\""], false),
    (
      [
        "0 invoke append x \"a\"", "1 invoke append x \"b\"", "0 ok append x \"a\"",
        "1 ok append x \"b\"", "0 invoke get x nil", "0 ok get x \"ba\"",
      ], true
    ),
    (
      [
        "0 invoke append x \"a\"", "0 ok append x \"a\"", "1 invoke append x \"b\"",
        "1 ok append x \"b\"", "0 invoke get x nil", "0 ok get x \"ba\"",
      ], false
    ),
    (
      [
        "0 invoke append x \"a\"", "0 ok append x \"a\"", "1 invoke put x \"b\"",
        "1 ok put x \"b\"", "0 invoke get x nil", "0 ok get x \"b\"",
      ], true
    ),
    (
      [
        "0 invoke put x \"\"", "0 ok put x \"\"", "1 invoke append x \"b\"", "1 ok append x \"b\"",
        "0 invoke get x nil", "0 ok get x \"\"",
      ], false
    ),
    // Keys are independent.
    (["0 invoke put x \"a\"", "0 ok put x \"a\"", "1 invoke get y nil", "1 ok get y \"\""], true),
    (["0 invoke put x \"a\"", "1 invoke get x nil", "1 ok get x \"a\""], true),
  ])
  func `operations of porcupine's log mean what they mean in a store of strings`(
    events: [String], expected: Bool
  ) throws {
    #expect(
      try Self.isLinearizable(Self.porcupine(events), Self.store, .porcupine) == expected,
      "\(events)")
  }

  @Test func `stamps are the numbers of lines, and results those of the model`() throws {
    let text =
      "\n"
      + Self.jepsen([
        "3 invoke cas [1 2]", "4 invoke read nil", "3 fail cas [1 2]", "4 info read :timed-out",
      ])
    let history = try HistoryFile.history(
      in: Array(text.utf8), of: Self.registers, format: .jepsen)
    #expect(history.operations.map(\.worker) == [3, 4])
    #expect(history.operations.map(\.call) == [2, 3])
    #expect(history.operations.map(\.return) == [4, nil])
    #expect(
      history.operations.map(\.input.input) == [
        .compareAndSet(expected: "1", new: "2"), .read,
      ])
    #expect(history.operations.map(\.output) == [.exchanged(false), nil])
  }

  @Test func `fields of a map come in any order, and words of a line have any space between them`()
    throws
  {
    let map = " {:value \"a\\\"b\" :key \"x\" :f :put, :type :invoke,:process 7}\r\n"
    let store = try HistoryFile.history(
      in: Array(map.utf8), of: Self.store, format: .porcupine)
    #expect(store.operations.map(\.input) == [DictionaryInput(.set("a\"b"), "x")])
    let words = "INFO jepsen.util -  7 :invoke   :write \t 12 "
    let registers = try HistoryFile.history(
      in: Array(words.utf8), of: Self.registers, format: .jepsen)
    #expect(registers.operations.map(\.input.input) == [.write("12")])
  }

  @Test(arguments: [
    ("{\"worker\":0}", HistoryFile.Format.jsonLines), ("", .jsonLines), ("nonsense", .jsonLines),
    ("\u{FEFF}\n\n INFO  jepsen.util - 0", .jepsen), ("{:process 0}", .porcupine),
    (" { :process 0}", .porcupine), ("{}", .jsonLines),
  ])
  func `the first line that is not empty determines the format`(
    text: String, format: HistoryFile.Format
  ) {
    #expect(HistoryFile.format(of: Array(text.utf8)) == format)
  }

  @Test(arguments: [
    (["0 ok write 1"], 1, 23, "an :invoke of process 0 first"),
    (["0 invoke write 1", "1 ok write 1"], 2, 23, "an :invoke of process 1 first"),
    (["0 invoke write 1", "0 ok write 1", "0 ok write 1"], 3, 23, "an :invoke of process 0"),
    (["0 invoke write 1", "0 invoke write 2"], 2, 21, "a process without an open operation"),
    (
      ["0 invoke write 1", "0 info write :timed-out", "0 invoke read nil"], 3, 21,
      "a process without an open operation; the one of line 1"
    ),
    (["0 invoke write 1", "0 ok read 1"], 2, 27, ":write, as in line 1"),
    (["0 invoke write 1", "0 ok write 2"], 2, 34, "1, as in line 1"),
    (["0 invoke cas [1 2]", "0 fail cas [2 1]"], 2, 34, "[1 2], as in line 1"),
    (["0 invoke write 1", "0 ok write :timed-out"], 2, 34, "a number"),
    (["0 invoke write nil"], 1, 38, "a number"),
    (["0 invoke read 1"], 1, 37, "nil"),
    (["0 invoke cas 1"], 1, 36, "two numbers, such as [1 2]"),
    (["0 invoke cas [1"], 1, 38, "a whole number from 0 to"),
    (["0 invoke cas [1 2"], 1, 40, "']'"),
    (["0 invoke cas [1 2] 3"], 1, 42, "the end of the line"),
    (["0 invoke write -1"], 1, 38, "a whole number from 0 to"),
    (["0 invoke write 18446744073709551616"], 1, 38, "a whole number from 0 to"),
    (["0 invoke get nil"], 1, 31, "one of :read, :write, :cas"),
    (["0 call read nil"], 1, 23, "one of :invoke, :ok, :fail, :info"),
    (["2147483648 invoke read nil"], 1, 21, "a process, which is a whole number"),
    (["x invoke read nil"], 1, 21, "a value"),
    (["0 invoke read"], 1, 37, "a value"),
    (["0 invoke : nil"], 1, 32, "a name after ':'"),
  ])
  func `a bad event of Jepsen's log is named, with the place and what was expected`(
    events: [String], line: Int, column: Int, expected: String
  ) throws {
    let error = try #require(Self.error(in: Self.jepsen(events), .jepsen), "\(events)")
    #expect(error.line == line && error.column == column, "\(events): \(error)")
    #expect(error.expected.hasPrefix(expected), "\(error)")
    #expect(!error.description.contains { $0.isNewline })
  }

  @Test(arguments: [
    ("{", 1, 2, "a field, such as :process, or '}'"),
    ("{:process}", 1, 10, "a value"),
    ("{:process 0}", 1, 1, "one of :invoke"),
    ("{:process 0, :type :invoke, :f :put, :key \"x\", :value \"y\"", 1, 58, "a field"),
    ("{:process 0, :type :invoke, :f :put, :key \"x\", :value \"y}", 1, 58, "'\"' at the end"),
    ("{:process 0, :type :invoke, :f :put, :key \"x\", :value \"y\"} 1", 1, 60, "the end of"),
    ("{:process 0, :type :invoke, :f :put, :key \"x\", :value 1}", 1, 55, "a string"),
    ("{:process 0, :type :invoke, :f :put, :key \"x\"}", 1, 1, "a string"),
    ("{:process 0, :type :invoke, :f :put, :value \"y\"}", 1, 1, "a key, which is a string"),
    ("{:process 0, :type :invoke, :f :put, :key 1, :value \"y\"}", 1, 43, "a key, which is"),
    ("{:process 0, :type :invoke, :f :cas, :key \"x\", :value [1 2]}", 1, 32, "one of :get"),
    ("{:process 0, :process 1}", 1, 14, "each field once"),
    ("{:process 0, :time 1}", 1, 14, "one of :process, :type, :f, :key, :value"),
    ("INFO  jepsen.util - 0 :invoke :read nil", 1, 1, "'{'"),
    (
      """
      {:process 0, :type :invoke, :f :put, :key "x", :value "y"}
      {:process 0, :type :ok, :f :put, :key "z", :value "y"}
      """, 2, 39, "\"x\", as in line 1"
    ),
    ("", 1, 1, "an operation"),
  ])
  func `a bad event of porcupine's log is named, with the place and what was expected`(
    text: String, line: Int, column: Int, expected: String
  ) throws {
    let error = try #require(Self.error(in: text, .porcupine), "\(text)")
    #expect(error.line == line && error.column == column, "\(text): \(error)")
    #expect(error.expected.hasPrefix(expected), "\(error)")
  }

  @Test func `a log that does not fit the model is refused`() {
    let text = Self.jepsen(["0 invoke write 1"])
    do {
      _ = try HistoryFile.history(in: Array(text.utf8), of: Self.store, format: .jepsen)
      Issue.record("a dictionary has no write")
    } catch {
      #expect(error.line == 1 && error.column == 31, "\(error)")
      #expect(error.expected.hasPrefix("one of get, set"))
    }
  }

  @Test func `whatever is damaged, reading and checking end`() {
    let log = Self.jepsen([
      "0 invoke write 1", "1 invoke cas [1 2]", "0 ok write 1", "1 fail cas [1 2]",
      "2 invoke read nil", "2 info read :timed-out",
    ])
    var random = SeededGenerator(seed: 1)
    var refused = 0
    for _ in 0..<5000 {
      var bytes = Array(log.utf8)
      for _ in 0...random.number(below: 3) {
        let place = random.number(below: bytes.count)
        switch random.number(below: 3) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: place)
        default: bytes.insert(Array("[]:\t 0niINFO\n".utf8)[random.number(below: 12)], at: place)
        }
      }
      do {
        let history = try HistoryFile.history(in: bytes, of: Self.registers, format: .jepsen)
        #expect(!Checker(Self.registers).check(history).isUnknown)
      } catch {
        #expect(error.line >= 1 && error.line <= 9 && error.column >= 1)
        refused += 1
      }
    }
    #expect(refused > 2500 && refused < 5000)
  }
}
