import SeededTesting
import StressTesting
import Testing
import WeakCollections

/// Scenario after scenario on real threads.
///
/// On a busy machine threads seldom overlap. So each search goes on until it has found the defect,
/// and only the time limit of the suite ends one in vain.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SessionTests {
  @Test(arguments: BackendCatalog.subjects)
  func `the shipped collections pass`(_ subject: Subject) async {
    var cell = ThreadCell(subject, seed: 7)
    var tally = StressTally()
    let tries = max(TestOptions.operations(full: 5000) / 250, 4)
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
    // The minimization ends when nothing can be taken away.
    let finding = try #require(await find(subject, minimizing: .seconds(600)))
    #expect(finding.scenario.threads.count == 2)
    #expect(finding.scenario.steps.count <= 4)
    let replay = try Replay(ReplayString(parsing: finding.replay.text), on: subject)
    let again = try await replay.run(until: .now + .seconds(600), announce: { _ in }).finding
    #expect(again?.violation.kind == .notLinearizable)
  }

  /// Five objects are alive at the last compaction, after which 2 × 5 + 64 entries fit. They die,
  /// and so do all that follow: the bound of 2 × live + 64 holds again after more insertions only.
  @Test(arguments: BackendCatalog.subjects.filter { $0.collection == .weakArray })
  func `objects that die after the last compaction are no violation`(
    _ subject: Subject
  ) async throws {
    let appends = (0..<5).map { "p\($0)" } + ["k"] + (0..<5).map { "d\($0)" }
    let more = (5..<73).flatMap { ["p\($0)", "d\($0)"] }
    // Each seed has another capacity of bags. There is one thread, so once is enough.
    for seed in 6...8 {
      let text = "wc1.threads.weak-array.\((appends + more).joined(separator: ",")).\(seed)"
      let replay = try Replay(ReplayString(parsing: text), on: subject)
      let finding = try await replay.run(until: .now, announce: { _ in }).finding
      #expect(finding?.title == nil)
    }
  }

  private func find(_ subject: Subject, minimizing: Duration = .zero) async -> Finding? {
    var cell = ThreadCell(subject, seed: 7, minimizing: minimizing)
    while !Task.isCancelled {
      if let finding = await cell.tryNext().finding { return finding }
    }
    return nil
  }
}
