import Foundation
import Testing
import WeakCollections

@testable import Choosing

struct CalibrationJSONTests {
  private static let calibration = Calibration([
    .dictionary(.mutex, 80), .dictionary(.mutex, 90),
    .dictionary(.lockFree, 61, bytes: 40, p99: 90),
    .dictionary(.actor, 1.0 / 3, workload: "leak-monitor", isPureMix: false, threads: 8),
    .dictionary(.actor, 7, key: .elsewhere),
  ])

  private static var text: String { String(decoding: calibration.json, as: UTF8.self) }

  @Test func `what was written reads back equal`() throws {
    #expect(try Calibration(json: Self.calibration.json) == Self.calibration)
    #expect(try Calibration(json: Calibration.compiled.json) == .compiled)
    #expect(try Calibration(json: Calibration([CostSample]()).json).keys.isEmpty)
  }

  @Test func `a file is read, and one that is not there is told`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    try Self.calibration.json.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try Calibration(contentsOf: file) == Self.calibration)
    let missing = file.appending(path: "missing")
    let error = #expect(throws: CalibrationError.self) { try Calibration(contentsOf: missing) }
    guard case .unreadable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a later schema is refused`() {
    let later = Self.text.replacing("\"schema\" : 1", with: "\"schema\" : 2")
    #expect(throws: CalibrationError.unsupportedSchema(found: 2, newestKnown: 1)) {
      try Calibration(json: Data(later.utf8))
    }
  }

  @Test(arguments: [
    ("\"threads\" : 4", "\"threads\" : 0", "expected positive numbers"),
    ("\"size\" : 1024", "\"size\" : -1", "expected positive numbers"),
    ("\"low\" : 80", "\"low\" : 89", "expected positive numbers in order"),
    ("\"median\" : 61", "\"median\" : -61", "expected positive numbers"),
    ("\"backend\" : \"lock-free\"", "\"backend\" : \"mutex\"", "mutex at read-heavy"),
    ("\"backend\" : \"lock-free\"", "\"backend\" : \"spin\"", "places.0.costs.2.backend"),
    ("\"cores\" : 16", "\"cores\" : 2", "2 cores once"),
    ("\"cores\" : 16", "\"cores\" : \"many\"", "places.1.cores"), ("{", "", "JSON"),
  ])
  func `a damaged file is refused with one line`(
    _ part: String, _ damage: String, _ said: String
  ) throws {
    let text = try #require(Self.text.contains(part) ? Self.text : nil)
    let error = #expect(throws: CalibrationError.self) {
      try Calibration(json: Data(text.replacing(part, with: damage).utf8))
    }
    guard case .malformed(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains(said) && !reason.contains { $0.isNewline }, "\(reason)")
  }

  @Test func `a chooser answers from it`() throws {
    let read = try Calibration(json: Self.calibration.json)
    let chooser = Chooser(calibration: read, key: .here)
    #expect(chooser.recommendation(for: .dictionary()).backend == .lockFree)
  }
}
