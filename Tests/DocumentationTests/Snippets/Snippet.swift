import Foundation

/// A block of Swift that a page or a documentation comment shows.
struct Snippet {
  /// Where it begins, as in "README.md:12".
  let place: String
  let lines: [String]

  /// What must be found, in this order, with single spaces: the block is parted at empty lines,
  /// where a page may leave something out, and at each "…", which stands for anything.
  var parts: [String] {
    lines.split(whereSeparator: { trimmed($0).isEmpty }).flatMap { paragraph in
      paragraph.joined(separator: "\n").components(separatedBy: "…")
    }.map(withSingleSpaces).filter { !$0.isEmpty }
  }
}

extension Snippet {
  /// The blocks of Swift in a page of Markdown.
  static func all(inPage text: String, named name: String) -> [Snippet] {
    all(in: text.components(separatedBy: "\n"), named: name)
  }

  /// Those in the documentation comments of a source file.
  static func all(inSource text: String, named name: String) -> [Snippet] {
    let lines = text.components(separatedBy: "\n").map { line in
      let line = trimmed(line)
      return line.hasPrefix("///") ? String(line.dropFirst(3)) : ""
    }
    return all(in: lines, named: name)
  }

  private static func all(in lines: [String], named name: String) -> [Snippet] {
    var snippets: [Snippet] = []
    var first: Int?
    for (index, line) in lines.map(trimmed).enumerated() {
      if let begin = first, line.hasPrefix("```") {
        snippets.append(Snippet(place: "\(name):\(begin)", lines: Array(lines[begin..<index])))
        first = nil
      } else if line == "```swift" {
        first = index + 1
      }
    }
    return snippets
  }
}

private func trimmed(_ line: String) -> String {
  line.trimmingCharacters(in: .whitespaces)
}
