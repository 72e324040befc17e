import BenchmarkCommands
import Benchmarking
import Choosing
import Measurements
import WeakCollections

/// What a question to a cost model takes: the chooser's part that a program may ask again and again. Words for a
/// recommendation are made once, by who prints them.
enum ChooserProbe {
  static func all(_ timing: LimitTiming) -> [LimitProbe] {
    // Without a calibration there is nothing to ask.
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

  /// The least of several tries: what other threads allocate meanwhile is counted too.
  private static func bytes(of questions: Questions) -> Double? {
    guard AllocatorProbe.isAvailable else { return nil }
    let probe = AllocatorProbe()
    return (0..<20).map { _ in
      let before = probe.bytes.allocated
      questions.askAll()
      return Double(probe.bytes.allocated - before) / Double(questions.profiles.count)
    }.min()
  }

  /// On the measured grid, between its points, of a measured workload and of a mix that none is.
  private static func profiles(cores: Int) -> [WorkloadProfile] {
    [(1, 1024), (2, 1024), (3, 700), (8, 3000)].flatMap { threads, size in
      [nil, "leak-monitor"].map { name in
        WorkloadProfile(
          collection: .dictionary, workload: name,
          shares: name == nil
            ? OperationShares(read: 80, insert: 10, remove: 10) : OperationShares(update: 100),
          threads: threads, cores: cores, size: size, synchronousOnly: true)
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
      precondition(model.answer(to: profile) != nil, "expected an answer to each question")
    }
  }
}
