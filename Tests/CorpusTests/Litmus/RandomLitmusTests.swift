#if Interleaving
  import Interleaving
  import SeededTesting
  import Testing

  /// Random programs of a few accesses, each searched exhaustively, beside the axioms of C++20.
  @Suite struct RandomLitmusTests {
    private static let orderings: [LitmusOrdering] = [.relaxed, .relaxed, .acq, .rel, .ar, .sc]

    private static func access(
      _ value: inout UInt64, _ random: inout SeededGenerator
    ) -> LitmusProgram.Access {
      let kind = "WWWRRRAF".randomElement(using: &random)!
      if kind == "W" { value += 1 }
      let allowed: [LitmusOrdering] =
        switch kind {
        case "W": [.relaxed, .rel, .sc]
        case "R": [.relaxed, .acq, .sc]
        default: orderings
        }
      var ordering = orderings.randomElement(using: &random)!
      while !allowed.contains(ordering) { ordering = orderings.randomElement(using: &random)! }
      // Swift has no relaxed fence.
      if kind == "F", ordering == .relaxed { ordering = .ar }
      return LitmusProgram.Access(
        kind, variable: kind == "F" ? 0 : .random(in: 0..<2, using: &random),
        value: kind == "W" ? value : 0, ordering)
    }

    private static func program(_ random: inout SeededGenerator) -> LitmusProgram {
      var value: UInt64 = 0
      let lengths = [[3, 3], [2, 2], [4, 2], [2, 2, 1], [2, 1, 1]].randomElement(using: &random)!
      return LitmusProgram(
        threads: lengths.map { count in (0..<count).map { _ in access(&value, &random) } })
    }

    @Test func `no model shows an outcome that the axioms forbid`() throws {
      let models = MemoryModel.allCases
      var allowedCount = 0
      var shownCounts = models.map { _ in 0 }
      for seed in 0..<100 as Range<UInt64> {
        var random = SeededGenerator(seed: seed)
        let program = Self.program(&random)
        let allowed = AxiomaticModel(program).outcomes()
        allowedCount += allowed.count
        var weaker: Set<[UInt64]> = []
        for (place, memory) in models.enumerated() {
          let shown = program.outcomes(in: memory)
          #expect(shown.isSubset(of: allowed), "\(program) in \(memory)")
          #expect(weaker.isSubset(of: shown), "\(program) in \(memory): a stronger model has more")
          weaker = shown
          shownCounts[place] += shown.count
        }
      }
      try CorpusDocument.check(
        "axioms",
        [
          "| programs | outcomes that C++ allows | sc | sb | rl |",
          "|---:|---:|---:|---:|---:|",
          "| 100 | \(allowedCount) | \(shownCounts.map(String.init).joined(separator: " | ")) |",
        ])
    }
  }
#endif
