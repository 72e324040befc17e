import TerminalIO
import Foundation

/// Where a history is read from: a file, or standard input for `-`.
struct HistorySource {
  let name: String

  /// As messages show it.
  var title: String { name == "-" ? "standard input" : name }

  func bytes() throws(CommandError) -> [UInt8] {
    do {
      return [UInt8](try data())
    } catch {
      throw .usage(
        "cannot read \(name.quotedOnOneLine) (allowed: a history as JSON Lines, or - for standard input)"
      )
    }
  }

  private func data() throws -> Data {
    name == "-"
      ? try FileHandle.standardInput.readToEnd() ?? Data()
      : try Data(contentsOf: URL(fileURLWithPath: name))
  }
}
