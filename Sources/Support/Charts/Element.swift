extension String {
  /// For HTML and XML, as text and as an attribute's value in quotation marks.
  ///
  /// It looks at scalars, since a mark that combines with a quotation mark makes another character of
  /// it but closes the value all the same. What XML has no way to hold becomes U+FFFD.
  package var escapedForMarkup: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      case "\t", "\n", "\r": text += " "
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
      // They would turn the text after them around.
      case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": text += "\u{FFFD}"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
