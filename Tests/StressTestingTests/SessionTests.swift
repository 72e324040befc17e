import SeededTesting
import StressTesting
import Testing

/// Scenario after scenario on real threads.
@Suite(.serialized) struct SessionTests {
  @Test(arguments: BackendCatalog.subjects)
  func `the shipped collections pass`(_ subject: Subject) async {
    var cell = ThreadCell(subject, seed: 7)
    var tally = StressTally()
    let tries = max(TestOptions.operations(standard: 5000) / 250, 4)
    for _ in 0..<tries {
      let result = await cell.tryNext()
      tally += result.tally
      if let finding = result.finding {
        Issue.record("\(finding.title)\n\(finding.replayCommand)\n\(finding.timeline?.rows ?? [])")
      }
    }
    #expect(tally.histories > 5 * tries)
  }

  @Test(arguments: BrokenDictionary.Defect.allCases)
  func `a broken dictionary is found`(_ defect: BrokenDictionary.Defect) async {
    let finding = await find(BrokenDictionary.subject(defect))
    #expect(finding != nil)
  }

  @Test(arguments: BrokenWeakArray.Defect.allCases)
  func `a broken weak array is found`(_ defect: BrokenWeakArray.Defect) async {
    let finding = await find(BrokenWeakArray.subject(defect))
    #expect(finding != nil)
  }

  @Test func `a race on threads is made small, and its replay finds it again`() async throws {
    let subject = BrokenDictionary.subject(.checkThenAct)
    // Ends when nothing can be taken away; a slow machine may take its time.
    let finding = try #require(await find(subject, minimizing: .seconds(120)))
    #expect(finding.scenario.threads.count == 2)
    #expect(finding.scenario.steps.count <= 4)
    let replay = try Replay(ReplayString(parsing: finding.replay.text), on: subject)
    let again = try await replay.run(until: .now + .seconds(20), announce: { _ in }).finding
    #expect(again?.violation.kind == .notLinearizable)
  }

  private func find(_ subject: Subject, minimizing: Duration = .zero) async -> Finding? {
    var cell = ThreadCell(subject, seed: 7, minimizing: minimizing)
    for _ in 0..<400 {
      if let finding = await cell.tryNext().finding { return finding }
    }
    return nil
  }
}
