import BenchmarkCommands
import TerminalIO
import Benchmarking
import Charts
import Measurements
import Primitives
import Reporting

/// What `run` says before the first trial.
enum Preamble {
  static func announce(_ plan: RunPlan, _ destination: OutputDestination) async {
    lines(plan, destination).forEach(Console.note)
    if !AllocatorProbe.isAvailable {
      Console.note(
        "bytes are not measured: this build uses the system's allocator, which does not count them "
          + "(scripts/bench builds with one that does)")
    }
    let times = MachineConditions.processorTimes
    Console.note(line(await HarnessCost.measure(), clock: Benchmarking.Clock.costNanoseconds))
    if plan.hasOpenLoops { Console.note(line(await PacingCost.measure())) }
    MachineConditions.current(since: times, cores: Host.usableCores).warnings
      .forEach(Console.note)
  }

  /// What is to be made, and what of all that was asked for is not.
  static func lines(_ plan: RunPlan, _ destination: OutputDestination) -> [String] {
    var lines = [line(plan, destination)]
    let made = plan.whole.count - plan.trials.count
    if let shard = plan.shard {
      lines.append(
        "this is shard \(shard.number) of \(shard.count) of a plan of "
          + "\(NumberText.count(plan.whole.count)) trials")
    } else if made > 0 {
      lines.append(
        "\(NumberText.count(made)) of \(NumberText.count(plan.whole.count)) trials are rows already"
      )
    }
    if let leftOut = plan.leftOut {
      lines.append(
        "the time budget leaves out \(leftOut.isEmpty ? "nothing" : leftOut)")
    }
    return lines
  }

  static func line(_ plan: RunPlan, _ destination: OutputDestination) -> String {
    let count = NumberText.count(plan.trials.count)
    let processes = plan.forks == 1 ? "" : " in \(plan.forks) processes"
    let seconds = plan.estimatedSeconds + plan.searchSeconds
    return "\(count) \(plan.trials.count == 1 ? "trial" : "trials")\(processes), about "
      + "\(NumberText.duration(seconds: seconds)); rows go to \(destination.name); "
      + "--seed \(plan.seed) repeats them"
  }

  static func line(_ cost: PacingCost) -> String {
    let (median, tail) = (cost.intended.p50Nanoseconds, cost.intended.p99Nanoseconds)
    return "open loop: waiting until an operation is due adds "
      + "\(FigureUnit.nanoseconds.text(median)) in the median and "
      + "\(FigureUnit.nanoseconds.text(tail)) at p99 to its intended time"
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
