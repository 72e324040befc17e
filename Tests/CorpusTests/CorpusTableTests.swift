#if Interleaving
  import Foundation
  import Interleaving
  import Testing

  /// The tables of docs/corpus.md.
  @Suite(.serialized) struct CorpusTableTests {
    private static let document = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/corpus.md")

    private static let environment = ProcessInfo.processInfo.environment
    /// The number of executions of each search for a defect.
    private static let limit = environment["CORPUS_EXECUTIONS"].flatMap(Int.init) ?? 500

    /// Prints a table and compares it with the document. With `CORPUS_DOCS=write` in the
    /// environment, writes it to the document instead.
    private func check(_ name: String, _ table: [String], limit: Int = .max) throws {
      print(table.joined(separator: "\n"))
      let text = try String(contentsOf: Self.document, encoding: .utf8)
      let first = try #require(text.range(of: "<!-- \(name) -->"))
      let last = try #require(text.range(of: "<!-- end of \(name) -->"))
      let range = first.upperBound..<last.lowerBound
      if Self.environment["CORPUS_DOCS"] == "write" {
        let new = text.replacingCharacters(
          in: range, with: "\n" + table.joined(separator: "\n") + "\n")
        return try new.write(to: Self.document, atomically: true, encoding: .utf8)
      }
      let documented = text[range].split(separator: "\n").map { Self.cells($0, limit: limit) }
      #expect(documented == table.map { Self.cells($0[...], limit: limit) })
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

    @Test func `the documented structures are those of the corpus`() throws {
      let rows = Specimen.all.map { ($0.structure, $0.paper, $0.defect) }
      let last = (AsyncSemaphore.name, AsyncSemaphore.paper, AsyncSemaphore.Defect.leak.rawValue)
      try check(
        "structures",
        ["| structure | paper | defect |", "|---|---|---|"]
          + (rows + [last]).map { "| \($0) | \($1) | \($2) |" })
    }

    @Test func `every visible defect is found`() throws {
      var table = [
        "| structure | memory | random walk | PCT | depth-first | preemptions | DPOR | shortest |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
      ]
      for specimen in Specimen.all where specimen.isVisible {
        let found = Findings(of: specimen, limit: Self.limit)
        #expect(found.otherFailures.isEmpty, "\(specimen): \(found.otherFailures)")
        let shortest = try #require(found.shortest, "\(specimen) is not found")
        var cells = found.counts.map { $0.map(String.init) ?? "> \(Self.limit)" }
        cells.insert(found.preemptions.map(String.init) ?? "", at: 3)
        table.append(
          "| \(specimen.structure) | \(specimen.memory.rawValue) | "
            + "\(cells.joined(separator: " | ")) | \(shortest.text) s |")
      }
      try check("findings", table, limit: Self.limit)
    }

    @Test func `no search reports a correct twin, and partial-order reduction saves most of it`()
      throws
    {
      var table = [
        "| structure | DPOR | blocked | depth-first | ratio | random walk | time |",
        "|---|---:|---:|---:|---:|---:|---:|",
      ]
      var ratios: [UInt64] = []
      for specimen in Specimen.all where specimen.isVisible {
        let twin = TwinSearches(of: specimen)
        let searches = [twin.reduced, twin.depthFirst, twin.randomWalk]
        for failed in searches.compactMap(\.failure) {
          Issue.record("\(specimen): \(failed.failure)")
        }
        ratios.append(twin.ratio)
        let elapsed = searches.reduce(Duration.zero) { $0 + $1.elapsed }
        table.append(
          "| \(specimen.structure) | \(twin.reduced.text) | \(twin.reduced.blockedExecutions) "
            + "| \(twin.depthFirst.text) | \(twin.ratioText) | \(twin.randomWalk.executions) "
            + "| \(elapsed.text) s |")
      }
      #expect(ratios.sorted()[ratios.count / 2] >= 10, "\(ratios)")
      try check("twins", table)
    }

    /// If a later memory model shows one of these, it belongs to the tables above.
    @Test func `the documented invisible defects are invisible`() throws {
      var table = ["| structure | defect | needs | DPOR |", "|---|---|---|---:|"]
      for specimen in Specimen.all {
        guard case .invisible(let needed) = specimen.effect else { continue }
        let outcome = specimen.explore(
          true, specimen.plan(.dynamicPartialOrderReduction, seed: 1, executions: 2_000))
        #expect(outcome.failure == nil, "\(specimen)")
        table.append(
          "| \(specimen.structure) | \(specimen.defect) | \(needed) | \(outcome.text) |")
      }
      try check("invisible", table)
    }
  }

  extension Outcome {
    /// The number of executions, as a bound if there are more schedules.
    fileprivate var text: String { isExhaustive ? "\(executions)" : "> \(executions)" }
  }

  extension TwinSearches {
    /// A bound if the depth-first search has more executions. Nothing is known if the reduced one
    /// has.
    fileprivate var ratioText: String {
      if !reduced.isExhaustive { return "" }
      return depthFirst.isExhaustive ? "\(ratio)" : "> \(ratio)"
    }
  }

  extension Duration {
    /// The number of seconds.
    fileprivate var text: String {
      String(format: "%.4f", Double(components.seconds) + Double(components.attoseconds) / 1e18)
    }
  }
#endif
