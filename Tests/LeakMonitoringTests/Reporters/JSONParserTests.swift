import Testing

@testable import LeakReports

struct JSONParserTests {
  private func text(_ json: String) throws -> String? {
    guard case .text(let text) = try JSONParser.parse(Array(json.utf8)).content else { return nil }
    return text
  }

  @Test(arguments: [
    (#""""#, ""), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9é""#, "éé"),
    (#""\ud83d\ude00""#, "😀"), (#"  "a" "#, "a"),
  ])
  func `texts are read`(_ json: String, _ expected: String) throws {
    #expect(try text(json) == expected)
  }

  @Test(arguments: [
    ("0", 0), ("-0", 0), ("12.5", 12.5), ("1e-05", 1e-5), ("-3E+2", -300),
  ])
  func `numbers are read`(_ json: String, _ expected: Double) throws {
    guard case .number(let number) = try JSONParser.parse(Array(json.utf8)).content else {
      Issue.record("no number")
      return
    }
    #expect(number == expected)
  }

  @Test(arguments: [
    ("", 0), ("{", 1), ("[1,]", 3), ("[1 2]", 3), (#"{"a" 1}"#, 5), (#"{a:1}"#, 1), ("tru", 0),
    ("nan", 0), ("+1", 0), (".5", 0), ("1.", 0), ("01", 0), ("-", 0), ("1e999", 0), ("1 2", 2),
    (#""a"#, 2), ("\"\n\"", 1), (#""\x""#, 2), (#""\u12""#, 3), (#""\ud83d""#, 1),
    (#""\ude00""#, 1), (#""\ud83d\u0041""#, 1), (#""\u+123""#, 3), (#""\u-000""#, 3),
    ("0x1p3", 1), ("1.e5", 0),
  ])
  func `what is no JSON is refused where that shows`(_ json: String, _ offset: Int) {
    do {
      _ = try JSONParser.parse(Array(json.utf8))
      Issue.record("\(json) was read")
    } catch {
      #expect(error.offset == offset, "\(json): expected \(error.expected)")
    }
  }

  @Test func `bytes that are no UTF-8, and too many levels, are refused`() {
    #expect(throws: JSONError.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: JSONError.self) { try JSONParser.parse(Array(deep.utf8)) }
    let fine = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(throws: Never.self) { try JSONParser.parse(Array(fine.utf8)) }
  }

  @Test func `a place counts lines and scalars`() {
    let error = JSONError(offset: "a\né😀x".utf8.count - 1, expected: "y")
    #expect(
      error.located(in: "a\né😀x".utf8, of: "f", firstLine: 3)
        == .malformed(file: "f", line: 4, column: 3, expected: "y"))
  }
}
