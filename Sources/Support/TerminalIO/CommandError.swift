
/// Why a command ends early: one line for standard error, and the exit status.
package struct CommandError: Error, Equatable, CustomStringConvertible {
  package let status: ExitStatus
  package let description: String

  package init(status: ExitStatus, description: String) {
    self.status = status
    self.description = description
  }

  /// What somebody typed is not allowed; `message` lists what is.
  package static func usage(_ message: String) -> CommandError {
    CommandError(status: .usage, description: message)
  }

  /// The world did not cooperate.
  package static func failed(_ message: String) -> CommandError {
    CommandError(status: .failed, description: message)
  }

  /// A name that is not one of `allowed`; the nearest are suggested.
  package static func unknown(_ what: String, _ name: String, allowed: [String]) -> CommandError {
    let near = NearName.suggestions(for: name, among: allowed).joined(separator: " or ")
    let question = near.isEmpty ? "" : "; did you mean \(near)?"
    let list = allowed.joined(separator: ", ")
    return .usage("unknown \(what) \(name.quotedOnOneLine)\(question) (allowed: \(list))")
  }
}

extension String {
  /// In quotation marks, on one line whatever it holds, and not endless.
  package var quotedOnOneLine: String {
    let text = prefix(60).map { character in
      character.isNewline || character.asciiValue.map { $0 < 32 } == true ? " " : String(character)
    }
    return "'\(text.joined())\(count > 60 ? "…" : "")'"
  }
}
