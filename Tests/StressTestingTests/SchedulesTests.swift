#if Interleaving
  import Interleaving
  import Testing
  import WeakCollections

  @testable import StressTesting

  /// Scenario after scenario under the managed scheduler.
  @Suite(.serialized) struct SchedulesTests {
    private static let shipped = BackendCatalog.subjects.filter(StressDriver.schedules.supports)

    @Test(arguments: shipped)
    func `the shipped collections pass`(_ subject: Subject) async {
      var cell = ScheduleCell(subject, seed: 7)
      var tally = StressTally()
      for _ in 0..<6 {
        let result = await cell.tryNext()
        tally += result.tally
        if let finding = result.finding {
          Issue.record("\(finding.title)\n\(finding.replayCommand)")
        }
      }
      #expect(tally.executions > 100)
    }

    @Test func `the actor is not for schedules`() {
      let actors = BackendCatalog.subjects.filter { $0.name == Backend.actor.rawValue }
      #expect(actors.count == CollectionKind.allCases.count)
      #expect(Self.shipped.count == BackendCatalog.subjects.count - actors.count)
    }

    @Test(arguments: [BrokenDictionary.Defect.checkThenAct, .torn])
    func `a race is found, made as small as it can be, and replays to the same each time`(
      _ defect: BrokenDictionary.Defect
    ) async throws {
      let subject = BrokenDictionary.subject(defect)
      let finding = try #require(await find(subject))
      #expect(finding.scenario.threads.count == 2)
      #expect(finding.scenario.steps.count == 2)
      #expect(finding.violation.partialLinearization != nil)
      #expect(!finding.violation.trace.isEmpty)
      // One switch into the middle of an operation, and one back.
      #expect(finding.violation.trace.runs.count <= 3)
      let replay = try Replay(ReplayString(parsing: finding.replay.text), on: subject)
      for _ in 0..<5 {
        let again = try await replay.run(until: .now, announce: { _ in }).finding
        #expect(again?.violation.summary == finding.violation.summary)
        #expect(again?.violation.recording == finding.violation.recording)
      }
    }

    @Test func `a schedule that the scenario cannot follow is refused, and no finding`()
      async throws
    {
      let text = "wc1.schedule.dictionary.i0-0/i0-1.1sb:1x2,9x4,1x2"
      let replay = try Replay(
        ReplayString(parsing: text), on: BrokenDictionary.subject(.checkThenAct))
      await #expect(throws: ReplayError.misfit(decision: 2)) {
        try await replay.run(until: .now, announce: { _ in })
      }
    }

    @Test(arguments: BrokenWeakArray.Defect.allCases.filter { $0 != .growing })
    func `a broken weak array is found`(_ defect: BrokenWeakArray.Defect) async {
      #expect(await find(BrokenWeakArray.subject(defect)) != nil)
    }

    private func find(_ subject: Subject) async -> Finding? {
      var cell = ScheduleCell(subject, seed: 7)
      for _ in 0..<200 {
        if let finding = await cell.tryNext().finding { return finding }
      }
      return nil
    }
  }
#endif
