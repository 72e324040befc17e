/// Looks in what `swift test` prints for which libraries began and ended a run, and for whether a test ran:
/// it exits with 0 if none did, and if a test ended the process with 0.
package struct TestRunOutput: Sendable {
  enum Library: Sendable {
    case xcTest, swiftTesting
  }

  package private(set) var hasRunTests = false
  private(set) var begun: Set<Library> = []
  private(set) var ended: Set<Library> = []
  private var line: [UInt8] = []

  package init() {}

  package mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        read(String(decoding: line, as: UTF8.self))
        line.removeAll(keepingCapacity: true)
      } else if line.count < 256 {
        line.append(byte)
      }
    }
  }

  private mutating func read(_ line: String) {
    readEnds(line)
    // XCTest's `Executed 3 tests, with …`, Swift Testing's `Test run with 2 tests in …`.
    for start in ["Executed ", "Test run with "] {
      guard let range = line.firstRange(of: start) else { continue }
      let number = line[range.upperBound...].prefix(while: \.isNumber)
      if let count = Int(number), count > 0 { hasRunTests = true }
    }
  }

  /// Of the suite of all suites, and of the run.
  private mutating func readEnds(_ line: String) {
    for suite in ["Test Suite 'All tests' ", "Test Suite 'Selected tests' "] {
      guard let range = line.firstRange(of: suite) else { continue }
      let rest = line[range.upperBound...]
      if rest.hasPrefix("started") { begun.insert(.xcTest) }
      if rest.hasPrefix("passed") || rest.hasPrefix("failed") { ended.insert(.xcTest) }
    }
    if line.contains("Test run started") { begun.insert(.swiftTesting) }
    if line.contains("Test run with ") { ended.insert(.swiftTesting) }
  }
}
