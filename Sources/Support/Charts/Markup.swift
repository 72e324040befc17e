/// A well-formed and escaped fragment of HTML or SVG.
///
/// Every initializer but `init(verbatim:)` escapes texts and attribute values, so that no name in a
/// page can become markup.
///
///     Markup("p", ["class": "soft"], "a < b").rendered  // <p class="soft">a &lt; b</p>
package struct Markup: Hashable, Sendable {
  /// The text of the fragment.
  package let rendered: String

  package static let empty = Markup(verbatim: "")

  /// Creates a fragment from trusted text: a style sheet, a script or rendered markup.
  package init(verbatim: String) { rendered = verbatim }

  /// Creates a fragment that shows `text`.
  package init(text: String) { rendered = text.escapedForMarkup }

  /// Creates an element on one line, without the attributes whose value is `nil`.
  ///
  /// Without content, the element closes itself, as SVG allows.
  package init(
    _ tag: String, _ attributes: KeyValuePairs<String, String?>, _ content: Markup...
  ) {
    let start = Self.start(tag, attributes)
    rendered =
      content.isEmpty ? "<\(start)/>" : "<\(start)>\(content.joined().rendered)</\(tag)>"
  }

  /// Creates an element on one line, without attributes.
  package init(_ tag: String, _ first: Markup, _ rest: Markup...) {
    rendered = "<\(tag)>\(first.rendered)\(rest.joined().rendered)</\(tag)>"
  }

  /// Creates an element whose tags, and each fragment of its content, have lines of their own.
  package init(
    _ tag: String, _ attributes: KeyValuePairs<String, String?> = [:], lines: [Markup]
  ) {
    rendered = "<\(Self.start(tag, attributes))>\n\(lines.lines.rendered)\n</\(tag)>"
  }

  private static func start(
    _ tag: String, _ attributes: KeyValuePairs<String, String?>
  ) -> String {
    attributes.reduce(tag) { text, attribute in
      guard let value = attribute.value else { return text }
      return "\(text) \(attribute.key)=\"\(value.escapedForMarkup)\""
    }
  }

  package static func + (left: Markup, right: Markup) -> Markup {
    Markup(verbatim: left.rendered + right.rendered)
  }
}

extension Markup: ExpressibleByStringInterpolation {
  /// Creates a fragment that shows the string, including its interpolated values.
  package init(stringLiteral value: String) { self.init(text: value) }
}

extension Sequence<Markup> {
  /// Returns the fragments one after the other.
  package func joined() -> Markup { Markup(verbatim: map(\.rendered).joined()) }

  /// The fragments that are not empty, each on a line of its own.
  package var lines: Markup {
    Markup(verbatim: map(\.rendered).filter { !$0.isEmpty }.joined(separator: "\n"))
  }
}

extension String {
  /// The string, escaped for text and for attribute values in HTML and XML.
  ///
  /// Escapes Unicode scalars, not characters: a quotation mark with a combining mark is a different
  /// character, but it still ends an attribute value. U+FFFD replaces the scalars that XML cannot
  /// represent and those that change the direction of the text.
  package var escapedForMarkup: String {
    // Most text needs no escape.
    guard utf8.contains(where: { $0 < 0x20 || $0 > 0x7E || "&<>\"'".utf8.contains($0) })
    else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      case "\t", "\n", "\r": text += " "
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
      case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": text += "\u{FFFD}"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
