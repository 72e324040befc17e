/// A piece of HTML or SVG that is well formed and escaped.
///
/// Only `init(verbatim:)` takes text as it is; every other text and attribute value is escaped, so that no
/// name in a page can become markup.
///
///     Markup("p", ["class": "soft"], "a < b").rendered  // <p class="soft">a &lt; b</p>
package struct Markup: Hashable, Sendable {
  package let rendered: String

  package static let empty = Markup(verbatim: "")

  /// A style sheet, a script, or markup that was rendered before.
  package init(verbatim: String) { rendered = verbatim }

  package init(text: String) { rendered = text.escapedForMarkup }

  /// An element on one line. Attributes whose value is `nil` are left out; without content the element
  /// closes itself, as SVG allows.
  package init(
    _ tag: String, _ attributes: KeyValuePairs<String, String?>, _ content: Markup...
  ) {
    let start = Self.start(tag, attributes)
    rendered =
      content.isEmpty ? "<\(start)/>" : "<\(start)>\(content.joined().rendered)</\(tag)>"
  }

  /// An element on one line, without attributes.
  package init(_ tag: String, _ first: Markup, _ rest: Markup...) {
    rendered = "<\(tag)>\(first.rendered)\(rest.joined().rendered)</\(tag)>"
  }

  /// An element with the tags and each part of its content on lines of their own.
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
  /// Escaped, with the values that are interpolated.
  package init(stringLiteral value: String) { self.init(text: value) }
}

extension Sequence<Markup> {
  package func joined() -> Markup { Markup(verbatim: map(\.rendered).joined()) }

  /// Those that are not empty, each on a line of its own.
  package var lines: Markup {
    Markup(verbatim: map(\.rendered).filter { !$0.isEmpty }.joined(separator: "\n"))
  }
}

extension String {
  /// The string as text and as an attribute's value in HTML and XML.
  ///
  /// Scalars are escaped, not characters: a combining mark makes another character of a quotation mark,
  /// which ends the value all the same. U+FFFD replaces what XML cannot represent and what reverses the
  /// direction of the text after it.
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
