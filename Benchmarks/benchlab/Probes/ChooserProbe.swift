import BenchmarkCommands
import Benchmarking
import Choosing
import Measurements
import WeakCollections

/// The probe for the cost of a question to a cost model. This is the part of the chooser that a
/// program may call repeatedly.
///
/// It excludes the text of a recommendation, because a program creates the text only to print it.
enum ChooserProbe {
  static func all(_ timing: LimitTiming) -> [LimitProbe] {
    // Without a calibration, there is no model.
    guard let key = Calibration.compiled.keys.first,
      let model = Calibration.compiled.model(for: key)
    else { return [] }
    let questions = Questions(model: model, profiles: profiles(cores: key.cores))
    return [
      LimitProbe(
        for: ["chooser"], figures: [LimitCatalog.question, LimitCatalog.questionBytes],
        estimatedSeconds: timing.both
      ) { _ in
        var values = [
          LimitCatalog.question: await timing.nanosecondsPerOperation([questions])
        ]
        values[LimitCatalog.questionBytes] = bytes(of: questions)
        return values
      }
    ]
  }

  /// Returns the minimum of several attempts, because the probe also counts the allocations of
  /// other threads.
  private static func bytes(of questions: Questions) -> Double? {
    guard AllocatorProbe.isAvailable else { return nil }
    let probe = AllocatorProbe()
    return (0..<20).map { _ in
      let before = probe.bytes.allocated
      questions.askAll()
      return Double(probe.bytes.allocated - before) / Double(questions.profiles.count)
    }.min()
  }

  /// Returns profiles on the measured grid and between its points, with a measured workload and
  /// with a mix that was not measured.
  private static func profiles(cores: Int) -> [WorkloadProfile] {
    [(1, 1024), (2, 1024), (3, 700), (8, 3000)].flatMap { threads, entries in
      [nil, "leak-monitor"].map { name in
        WorkloadProfile(
          collection: .dictionary, workload: name,
          shares: name == nil
            ? OperationShares(read: 80, insert: 10, remove: 10) : OperationShares(update: 100),
          threads: threads, cores: cores, entries: entries, synchronousOnly: true)
      }
    }
  }
}

private struct Questions: RepeatedWork {
  let model: CostModel
  let profiles: [WorkloadProfile]

  func doOnce() async -> TimedOperations {
    await timed(profiles.count) { askAll() }
  }

  @inline(never)
  func askAll() {
    for profile in profiles {
      guard model.answer(to: profile) != nil else {
        fatalError(
          "the calibration does not answer about \(profile.collection.rawValue) on "
            + "\(profile.threads) threads; measure its rows again")
      }
    }
  }
}
