#if Interleaving
  import Foundation
  import Testing

  /// The tables of docs/corpus.md.
  enum CorpusDocument {
    private static let document = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/corpus.md")

    /// Prints a table and compares it with the document. With `CORPUS_DOCS=write` in the
    /// environment, writes it to the document instead.
    ///
    /// - Parameter limit: A number of executions; greater ones are not compared.
    static func check(_ name: String, _ table: [String], limit: Int = .max) throws {
      print(table.joined(separator: "\n"))
      let text = try String(contentsOf: document, encoding: .utf8)
      let first = try #require(text.range(of: "<!-- \(name) -->"))
      let last = try #require(text.range(of: "<!-- end of \(name) -->"))
      let range = first.upperBound..<last.lowerBound
      if ProcessInfo.processInfo.environment["CORPUS_DOCS"] == "write" {
        let new = text.replacingCharacters(
          in: range, with: "\n" + table.joined(separator: "\n") + "\n")
        return try new.write(to: document, atomically: true, encoding: .utf8)
      }
      let documented = text[range].split(separator: "\n").map { cells($0, limit: limit) }
      #expect(documented == table.map { cells($0[...], limit: limit) })
    }

    /// Returns the cells of a row, without times, and without the numbers that only a search with
    /// more executions shows.
    private static func cells(_ row: Substring, limit: Int) -> [String] {
      row.split(separator: "|").map { cell in
        let cell = cell.trimmingCharacters(in: .whitespaces)
        if cell.hasSuffix(" s") { return "time" }
        let number = Int(cell.trimmingPrefix("> "))
        return number.map { $0 >= limit } == true ? "> \(limit)" : cell
      }
    }
  }
#endif
