import Benchmarking

/// What `run` says before the first trial.
enum Preamble {
  static func announce(_ plan: RunPlan, _ destination: OutputDestination) async {
    Console.note(line(plan, destination))
    if !AllocatorProbe.isAvailable {
      Console.note(
        "bytes are not measured: this build uses the system's allocator, which does not count them "
          + "(scripts/bench builds with one that does)")
    }
    Console.note(line(await HarnessCost.measure(), clock: Benchmarking.Clock.costNanoseconds))
  }

  static func line(_ plan: RunPlan, _ destination: OutputDestination) -> String {
    let count = NumberText.count(plan.trials.count)
    return "\(count) \(plan.trials.count == 1 ? "trial" : "trials"), about "
      + "\(NumberText.duration(seconds: plan.estimatedSeconds)); rows go to \(destination.name); "
      + "--seed \(plan.seed) repeats them"
  }

  static func line(_ cost: HarnessCost, clock: Double) -> String {
    let generic = NumberText.amount(cost.genericNanoseconds)
    let handWritten = NumberText.amount(cost.handWrittenNanoseconds)
    let difference = cost.genericNanoseconds - cost.handWrittenNanoseconds
    let side = difference < 0 ? "below" : "above"
    return "harness: \(NumberText.amount(abs(difference))) ns/op \(side) a hand-written loop "
      + "(\(generic) against \(handWritten)); reading the clock costs \(NumberText.amount(clock)) ns"
  }
}
