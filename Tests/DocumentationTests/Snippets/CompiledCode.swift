import Foundation

/// The sources of all tests: what stands in them is compiled.
struct CompiledCode {
  private let texts: [String]

  init(_ texts: [String]) {
    self.texts = texts.map(withSingleSpaces)
  }

  /// Whether one source has all parts of `snippet`, in order, though with other indentation.
  func contains(_ snippet: Snippet) -> Bool {
    let parts = snippet.parts
    return texts.contains { text in
      var rest = text[...]
      for part in parts {
        guard let place = rest.range(of: part, options: .literal) else { return false }
        rest = rest[place.upperBound...]
      }
      return true
    }
  }
}

/// The text with every run of spaces and ends of lines as one space, and none around it.
func withSingleSpaces(_ text: String) -> String {
  text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
}
