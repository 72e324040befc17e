#if Interleaving
  import Foundation
  import Interleaving
  import Testing

  /// The tables of docs/corpus.md.
  @Suite(.serialized) struct CorpusTableTests {
    /// The number of executions of each search for a defect.
    private static let limit =
      ProcessInfo.processInfo.environment["CORPUS_EXECUTIONS"].flatMap(Int.init) ?? 500

    private func check(_ name: String, _ table: [String], limit: Int = .max) throws {
      try CorpusDocument.check(name, table, limit: limit)
    }

    @Test func `the documented structures are those of the corpus`() throws {
      let rows = Specimen.all.map { ($0.structure, $0.paper, $0.defect) }
      let last = (AsyncSemaphore.name, AsyncSemaphore.paper, AsyncSemaphore.Defect.leak.rawValue)
      try check(
        "structures",
        ["| structure | paper | defect |", "|---|---|---|"]
          + (rows + [last]).map { "| \($0) | \($1) | \($2) |" })
    }

    @Test func `every defect is found`() throws {
      var table = [
        "| structure | memory | random walk | PCT | depth-first | preemptions | DPOR | shortest |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
      ]
      for specimen in Specimen.all {
        let found = Findings(of: specimen, limit: Self.limit)
        #expect(found.otherFailures.isEmpty, "\(specimen): \(found.otherFailures)")
        let shortest = try #require(found.shortest, "\(specimen) is not found")
        var cells = found.counts.map { $0.map(String.init) ?? "> \(Self.limit)" }
        if !specimen.isReducible { cells[3] = "" }
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
      for specimen in Specimen.all {
        let twin = TwinSearches(of: specimen)
        let searches = [twin.reduced, twin.depthFirst, twin.randomWalk].compactMap(\.self)
        for failed in searches.compactMap(\.failure) {
          Issue.record("\(specimen): \(failed.failure)")
        }
        if let ratio = twin.ratio { ratios.append(ratio) }
        let elapsed = searches.reduce(Duration.zero) { $0 + $1.elapsed }
        table.append(
          "| \(specimen.structure) | \(twin.reduced?.text ?? "") | \(twin.blockedText) "
            + "| \(twin.depthFirst.text) | \(twin.ratioText) | \(twin.randomWalk.executions) "
            + "| \(elapsed.text) s |")
      }
      #expect(ratios.sorted()[ratios.count / 2] >= 10, "\(ratios)")
      try check("twins", table)
    }
  }

  extension Outcome {
    /// The number of executions, as a bound if there are more schedules.
    fileprivate var text: String { isExhaustive ? "\(executions)" : "> \(executions)" }
  }

  extension TwinSearches {
    fileprivate var blockedText: String { reduced.map { "\($0.blockedExecutions)" } ?? "" }

    /// A bound if the depth-first search has more executions. Nothing is known if the reduced one
    /// has.
    fileprivate var ratioText: String {
      guard let ratio, ratio > 0 else { return "" }
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
