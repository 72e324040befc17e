import Linearizability
import Testing

/// For each operation of each model, a history that is linearizable and one that is not.
@Suite struct ModelTests {
  private static func isLinearizable<Model: RecordedModel>(
    _ lines: [String], _ model: Model
  ) throws -> Bool {
    let bytes = Array(lines.joined(separator: "\n").utf8)
    let verdict = Checker(model).check(try HistoryFile.history(in: bytes, of: model))
    #expect(!verdict.isUnknown)
    return verdict.isLinearizable
  }

  @Test(arguments: [
    (["null"], "read", "null", "\"b\""),
    (["\"a\""], "read", "\"a\"", "null"),
    (["\"a\""], "compare-and-set \"a\" \"b\"", "true", "false"),
    (["\"a\""], "compare-and-set null \"b\"", "false", "true"),
  ])
  func `registers`(written: [String], operation: String, right: String, wrong: String) throws {
    for (result, expected) in [(right, true), (wrong, false)] {
      let lines = [
        line(0, 1, 2, "write \(written[0])"),
        line(1, 5, 6, operation, gives: result),
      ]
      let model = KeyedModel<RegisterModel<String>, String?>(RegisterModel())
      #expect(try Self.isLinearizable(lines, model) == expected, "\(lines)")
    }
  }

  @Test(arguments: [
    ("set \"a\"", "get", "\"a\"", "null"),
    ("remove", "get", "null", "\"z\""),
    ("remove", "insert-if-absent \"a\"", "\"a\"", "\"z\""),
    ("set \"a\"", "insert-if-absent \"b\"", "\"a\"", "\"b\""),
    ("append \"a\"", "get", "\"za\"", "\"a\""),
    ("set \"a\"", "remove", "\"a\"", "\"z\""),
    ("set \"a\"", "compare-and-set \"a\" null", "true", "false"),
    ("remove", "compare-and-set null \"a\"", "true", "false"),
  ])
  func `dictionaries`(first: String, second: String, right: String, wrong: String) throws {
    for (result, expected) in [(right, true), (wrong, false)] {
      let before = first == "remove" ? "\"z\"" : "null"
      let lines = [
        line(0, 1, 2, "set \"z\"", key: "k"),
        line(1, 3, 4, first, gives: before, key: "k"),
        line(1, 5, 6, second, gives: result, key: "k"),
      ]
      let isLinearizable = try Self.isLinearizable(lines, DictionaryModel<String, String>())
      #expect(isLinearizable == expected, "\(lines)")
    }
  }

  @Test(arguments: [
    ("append \"b\"", "null", "[\"a\",\"b\"]", "[\"b\",\"a\"]"),
    ("append \"a\"", "null", "[\"a\",\"a\"]", "[\"a\"]"),
    ("remove \"a\"", "true", "[]", "[\"a\"]"),
    ("remove \"b\"", "false", "[\"a\"]", "[]"),
    ("remove-all", "null", "[]", "[\"a\"]"),
    ("contains \"a\"", "true", "[\"a\"]", "[]"),
    ("count", "1", "[\"a\"]", "[\"a\",\"a\"]"),
    ("die \"a\"", "null", "[]", "[\"a\"]"),
  ])
  func `weak arrays`(operation: String, result: String, right: String, wrong: String) throws {
    for (snapshot, expected) in [(right, true), (wrong, false)] {
      let lines = [
        line(0, 1, 2, "append \"a\""),
        line(1, 3, 4, operation, gives: result),
        line(1, 9, 10, "snapshot", gives: snapshot),
      ]
      #expect(try Self.isLinearizable(lines, Self.weakArrays) == expected, "\(lines)")
    }
  }

  private static let weakArrays = KeyedModel<WeakArrayModel<String>, String?>(WeakArrayModel())

  @Test func `while an object dies it is there until one moment, the same for everybody`() throws {
    let start = [line(0, 1, 2, "append \"a\""), line(0, 3, 20, "die \"a\"")]
    let thereThenGone = [
      line(1, 4, 5, "contains \"a\"", gives: "true"),
      line(2, 6, 7, "contains \"a\"", gives: "false"),
    ]
    let goneThenThere = [
      line(1, 4, 5, "contains \"a\"", gives: "false"),
      line(2, 6, 7, "contains \"a\"", gives: "true"),
    ]
    #expect(try Self.isLinearizable(start + thereThenGone, Self.weakArrays))
    #expect(try !Self.isLinearizable(start + goneThenThere, Self.weakArrays))
  }

  @Test func `nobody misses an object before its death begins, and a death may never end`() throws {
    let append = line(0, 1, 2, "append \"a\"")
    let miss = line(1, 4, 5, "snapshot", gives: "[]")
    let model = Self.weakArrays
    #expect(try !Self.isLinearizable([append, miss], model))
    #expect(try !Self.isLinearizable([append, miss, line(0, 6, 7, "die \"a\"")], model))
    #expect(try Self.isLinearizable([append, miss, line(0, 3, nil, "die \"a\"")], model))
    #expect(try Self.isLinearizable([append, line(0, 3, nil, "die \"a\"")], model))
  }

  @Test func `nobody holds a dead object to append it`() throws {
    let lines = [line(0, 1, 2, "die \"a\""), line(0, 3, 4, "append \"a\"")]
    #expect(try !Self.isLinearizable(lines, Self.weakArrays))
  }
}
