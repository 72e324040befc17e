import Spelling

/// The reason why a command ends early: a line for standard error and the exit status.
package struct CommandError: Error, Equatable, CustomStringConvertible {
  package let status: ExitStatus
  package let description: String

  package init(status: ExitStatus, description: String) {
    self.status = status
    self.description = description
  }

  /// An argument that is not allowed; `message` lists what is.
  package static func usage(_ message: String) -> CommandError {
    CommandError(status: .usage, description: message)
  }

  /// A failure outside the program, such as a full disk.
  package static func failed(_ message: String) -> CommandError {
    CommandError(status: .failed, description: message)
  }

  /// A name that is not in `allowed`; the message suggests similar names.
  package static func unknown(_ what: String, _ name: String, allowed: [String]) -> CommandError {
    let near = NearMiss.suggestions(for: name, among: allowed).joined(separator: " or ")
    let question = near.isEmpty ? "" : "; did you mean \(near)?"
    let list = allowed.joined(separator: ", ")
    return .usage("unknown \(what) \(name.quotedOnOneLine)\(question) (allowed: \(list))")
  }
}

extension String {
  /// The text in quotation marks, without line breaks, cut after 60 characters.
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

  /// The explanation in the README and in `--help`.
  package var meaning: String {
    switch self {
    case .fine: "fine"
    case .found: "found something: failed trial, violation, illegal, regression, leak"
    case .failed: "could not do its work, such as writing a row"
    case .undecided: "undecided: the measurements or the time given do not tell"
    case .outsideMeasured: "the question lies outside what was measured"
    case .usage: "usage: an option, name, number or path that is not allowed; nothing ran"
    case .badData: "bad data: a file that was read is damaged"
    case .interrupted: "interrupted; what was finished by then is kept"
    }
  }

  /// The table of the README, with a line end after each row.
  package static var markdownTable: String {
    let rows = allCases.map { "| \($0.rawValue) | \($0.meaning) |\n" }
    return "| Status | Meaning |\n|---|---|\n" + rows.joined()
  }

  /// The table of `--help`.
  package static var helpText: String {
    let table = TextTable(
      columns: [.init(alignment: .right), .init()],
      rows: allCases.map { ["\($0.rawValue)", $0.meaning] })
    return "EXIT STATUSES:\n" + table.lines.map { "  \($0)\n" }.joined()
  }
}
