import Workloads

/// Why a command ends early: one line for standard error, and the exit status.
struct CommandError: Error, Equatable, CustomStringConvertible {
  let status: ExitStatus
  let description: String

  /// What somebody typed is not allowed; `message` lists what is.
  static func usage(_ message: String) -> CommandError {
    CommandError(status: .usage, description: message)
  }

  /// The world did not cooperate.
  static func failed(_ message: String) -> CommandError {
    CommandError(status: .failed, description: message)
  }

  /// A name that is not one of `allowed`; the nearest are suggested.
  static func unknown(_ what: String, _ name: String, allowed: [String]) -> CommandError {
    let near = NearMiss.suggestions(for: name, among: allowed).joined(separator: " or ")
    let question = near.isEmpty ? "" : "; did you mean \(near)?"
    let list = allowed.joined(separator: ", ")
    return .usage("unknown \(what) \(name.quotedOnOneLine)\(question) (allowed: \(list))")
  }
}

extension String {
  /// In quotation marks, on one line whatever it holds, and not endless.
  var quotedOnOneLine: String {
    let text = prefix(60).map { character in
      character.isNewline || character.asciiValue.map { $0 < 32 } == true ? " " : String(character)
    }
    return "'\(text.joined())\(count > 60 ? "…" : "")'"
  }
}
