/// A line of a file of suppressions that is none.
package struct SuppressionError: Error, Equatable, CustomStringConvertible {
  package enum Problem: Equatable, Sendable {
    case noReason, noSuppression, tooWide
  }

  package let problem: Problem
  package let file: String
  /// From 1.
  package let line: Int

  init(_ problem: Problem, file: String, line: Int) {
    self.problem = problem
    self.file = file
    self.line = line
  }

  package var description: String {
    let text =
      switch problem {
      case .noReason: "a suppression without a reason; write it as a comment on the line above"
      case .noSuppression: "expected 'leak:' and a pattern, a comment with '#', or nothing"
      case .tooWide: "this suppression would hide leaks inside of all tests; name a function"
      }
    return "\(file):\(line): \(text)"
  }
}
