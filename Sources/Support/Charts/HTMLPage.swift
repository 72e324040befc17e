/// An HTML page that needs nothing else, neither the network nor its own script.
package struct HTMLPage {
  package var title: String
  /// Of the lines in its charts.
  package var keys: [LegendKey]
  /// With a table whose id is `rows`, for the script.
  package var body: String

  package init(title: String, keys: [LegendKey], body: String) {
    self.title = title
    self.keys = keys
    self.body = body
  }

  /// The policy lets a browser load nothing at all, whatever a name in the page says.
  package var html: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" \
    content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
    <link rel="icon" href="data:,">
    <title>\(title.escapedForMarkup)</title>
    <style>
    \(ReportStyle.text(for: keys))
    </style>
    </head>
    <body>
    \(body)
    <script>
    \(ReportScript.text)
    </script>
    </body>
    </html>

    """
  }

  /// Keys that a click hides, for an element of the class `legend`.
  package static func legend(of keys: [LegendKey]) -> String {
    keys.map { key in
      "<span class=\"key \(key.className)\" data-class=\"\(key.className)\">"
        + "\(LegendSample(key).svg)\(key.text.escapedForMarkup)</span>"
    }.joined()
  }

  /// With the number to sort by; what is not known has none.
  package static func cell(_ count: Int?) -> String {
    let number = count.map { " data-value=\"\($0)\"" } ?? ""
    let text = count.map(NumberText.count) ?? NumberText.missing
    return "<td class=\"number\"\(number)>\(text)</td>"
  }
}
