import Foundation
import Spelling

/// The reason why a command fails: one line for standard error, and the exit status.
package struct CommandError: Error, Equatable, CustomStringConvertible {
  package let status: ExitStatus
  /// One line that says what went wrong and what to do.
  package let description: String

  package init(status: ExitStatus, description: String) {
    self.status = status
    self.description = description
  }

  /// Returns a usage error; `message` names the wrong argument and lists what is allowed.
  package static func usage(_ message: String) -> CommandError {
    CommandError(status: .usage, description: message)
  }

  /// Returns a usage error for a file that cannot be read; `allowed` describes the files that can.
  package static func unreadable(_ path: String, allowed: String) -> CommandError {
    let name = path.quotedOnOneLine
    let exists = FileManager.default.fileExists(atPath: path)
    return .usage(
      "\(exists ? "cannot read \(name)" : "\(name) does not exist") (allowed: \(allowed))")
  }

  /// Returns an error for a failure outside the program, such as a full disk.
  package static func failed(_ message: String) -> CommandError {
    CommandError(status: .failed, description: message)
  }

  /// Returns a usage error for a name that is not in `allowed`; its message suggests similar names.
  package static func unknown(_ what: String, _ name: String, allowed: [String]) -> CommandError {
    let near = NearMiss.suggestions(for: name, among: allowed).joined(separator: " or ")
    let question = near.isEmpty ? "" : "; did you mean \(near)?"
    let list = allowed.joined(separator: ", ")
    return .usage("unknown \(what) \(name.quotedOnOneLine)\(question) (allowed: \(list))")
  }
}

extension String {
  /// The text in single quotation marks, without line breaks, truncated to 60 characters.
  package var quotedOnOneLine: String {
    let text = prefix(60).map { character in
      character.isNewline || character.asciiValue.map { $0 < 32 } == true ? " " : String(character)
    }
    return "'\(text.joined())\(count > 60 ? "…" : "")'"
  }
}

/// The exit statuses of all commands. Scripts rely on the numbers, which never change.
package enum ExitStatus: Int32, CaseIterable, Sendable {
  case fine = 0
  case found = 1
  case failed = 2
  case undecided = 3
  case outsideMeasured = 4
  case usage = 64
  case badData = 65
  case interrupted = 130

  /// The explanation that the documentation and `--help` print.
  package var meaning: String {
    switch self {
    case .fine: "success"
    case .found: "found a failed trial, violation, illegal history, regression or leak"
    case .failed: "could not do the work, such as writing a row; or there was no work"
    case .undecided: "inconclusive: more measurements or more time may decide"
    case .outsideMeasured: "the question was not measured"
    case .usage: "usage error: an option, name, number or path is not allowed; nothing ran"
    case .badData: "malformed data: an input file is damaged"
    case .interrupted: "interrupted; finished work is kept"
    }
  }

  /// The table in Markdown, with a line break after each row.
  package static var markdownTable: String {
    let rows = allCases.map { "| \($0.rawValue) | \($0.meaning) |\n" }
    return "| Status | Meaning |\n|---|---|\n" + rows.joined()
  }

  /// The table that `--help` prints.
  package static var helpText: String {
    let table = TextTable(
      columns: [.init(alignment: .right), .init()],
      rows: allCases.map { ["\($0.rawValue)", $0.meaning] })
    return "EXIT STATUSES:\n" + table.lines.map { "  \($0)\n" }.joined()
  }
}
