/// A suppression of known leaks: the leaks whose stacks contain a function, a file or a library
/// with a matching name.
package struct Suppression: Hashable, Sendable {
  /// A pattern of LeakSanitizer: a part of the name, mangled for a function. `*` matches any text.
  package var pattern: String
  /// The reason why the leaks are acceptable.
  package var reason: String
}

extension Suppression {
  /// Parses a file in LeakSanitizer's format. Each suppression needs its reason in a comment above
  /// it:
  ///
  /// ```
  /// # The framework keeps one for each process.
  /// leak:s9Framework6SharedC
  /// ```
  ///
  /// - Parameters:
  ///   - text: The text of the file.
  ///   - file: The name of the file in errors.
  /// - Throws: `SuppressionError` with the place of the first malformed line.
  package static func all(
    in text: some StringProtocol, file: String
  ) throws(SuppressionError) -> [Suppression] {
    var all: [Suppression] = []
    var reason: [Substring] = []
    let lines = Substring(text).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let content = line.trimmed
      func error(_ problem: SuppressionError.Problem) -> SuppressionError {
        SuppressionError(problem, file: file, line: index + 1)
      }
      if content.hasPrefix("#") {
        let comment = content.drop { $0 == "#" }.trimmed
        if !comment.isEmpty { reason.append(comment) }
      } else if content.isEmpty {
        reason = []
      } else if content.hasPrefix("leak:"), content.count > 5 {
        if reason.isEmpty { throw error(.noReason) }
        let pattern = String(content.dropFirst(5))
        if isTooWide(pattern) { throw error(.tooWide) }
        all.append(Suppression(pattern: pattern, reason: reason.joined(separator: " ")))
        reason = []
      } else {
        throw error(.noSuppression)
      }
    }
    return all
  }

  /// Returns whether the pattern matches a name that every stack contains.
  private static func isTooWide(_ pattern: String) -> Bool {
    let parts = pattern.filter { $0 != "^" && $0 != "$" }.split(separator: "*")
    return everywhere.contains { name in
      var rest = name[...]
      return parts.allSatisfy { part in
        guard let range = rest.firstRange(of: part) else { return false }
        rest = rest[range.upperBound...]
        return true
      }
    }
  }

  /// Names that occur in the stack of every allocation, or of every allocation in a test or a task.
  private static let everywhere = [
    "malloc", "calloc", "posix_memalign", "swift_slowAlloc", "swift_allocObject", "swift_job_run",
    "libswiftCore.so", "libswift_Concurrency.so", "libXCTest.so", "libTesting.so",
    "s6XCTest0A4CaseC",
  ]

  /// The suppressions of leaks in the toolchain itself.
  package static var toolchain: [Suppression] {
    get throws(SuppressionError) {
      let text = String(decoding: PackageResources.toolchain_txt, as: UTF8.self)
      return try all(in: text, file: "toolchain.txt")
    }
  }

  /// Returns the text of a suppression file for LeakSanitizer.
  package static func file(of suppressions: [Suppression]) -> String {
    suppressions.map { "leak:\($0.pattern)\n" }.joined()
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let end = lastIndex { !$0.isWhitespace }.map(index(after:)) ?? startIndex
    return self[..<end].drop(while: \.isWhitespace)
  }
}

/// A malformed line in a suppression file.
package struct SuppressionError: Error, Equatable, CustomStringConvertible {
  package enum Problem: Equatable, Sendable {
    case noReason, noSuppression, tooWide
  }

  package let problem: Problem
  package let file: String
  /// The number of the line, from 1.
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
      case .noSuppression: "expected 'leak:' and a pattern, a comment with '#', or an empty line"
      case .tooWide: "the pattern matches every stack, so it would hide all leaks; name a function"
      }
    return "\(file):\(line): \(text)"
  }
}
