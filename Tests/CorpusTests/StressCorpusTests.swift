#if Interleaving
  import Foundation
  import StressTesting
  import Testing

  /// The corpus by the public function `stress`, which draws its scenarios itself.
  @Suite(.serialized) struct StressCorpusTests {
    /// Schedules of a number of scenarios. Only a test that hangs reaches the time limit.
    private func options(scenarios: Int? = nil) -> StressOptions {
      var options = StressOptions()
      options.drivers = [.schedules]
      options.duration = .seconds(600)
      options.scenarios = scenarios
      options.minimizing = .zero
      options.seed = 1
      return options
    }

    @Test(arguments: Specimen.all)
    func `random scenarios show the defect, and the replay string repeats it`(
      _ specimen: Specimen
    ) async throws {
      var options = options()
      guard case .failure(let failure) = await specimen.stress(true, options) else {
        Issue.record("not found")
        return
      }
      #expect(specimen.explains(failure.kind), "\(failure)")
      options.replay = failure.replay
      guard case .failure(let again) = await specimen.stress(true, options) else {
        Issue.record("not repeated: \(failure)")
        return
      }
      #expect(again.kind == failure.kind)
      #expect(again.replay == failure.replay)
    }

    /// `CORPUS_SCENARIOS` in the environment is the number of scenarios for each twin.
    @Test(arguments: Specimen.all)
    func `random scenarios report no correct twin`(_ specimen: Specimen) async throws {
      let scenarios = ProcessInfo.processInfo.environment["CORPUS_SCENARIOS"].flatMap(Int.init)
      switch await specimen.stress(false, options(scenarios: scenarios ?? 20)) {
      case .failure(let failure): Issue.record("\(failure)")
      case .success(let summary):
        #expect(summary.scenarios == scenarios ?? 20)
        #expect(summary.scheduledExecutions > 0)
        #expect(summary.undecided == 0)
      }
    }
  }

  extension Specimen {
    /// Whether a kind of failure is the effect of the defect.
    func explains(_ kind: StressFailure.Kind) -> Bool {
      switch effect {
      case .wrongAnswer: kind == .notLinearizable || kind == .neverReturned
      case .deadlock: kind == .deadlock
      }
    }
  }
#endif
