import Benchmarking
import TerminalIO
import ArgumentParser

/// How `regret` measures what it draws.
struct RegretOptions: ParsableArguments {
  @Option(
    parsing: .unconditional, help: "Without files: how many profiles are drawn. (default: 40)")
  var draw: String?

  @Option(
    parsing: .unconditional,
    help: "Trials of each backend, each in a process of its own. (default: 6)")
  var trials: String?

  @Option(parsing: .unconditional, help: "Timed seconds of a trial. (default: 0.2)")
  var seconds: String?

  @Option(parsing: .unconditional, help: "What profiles and runs are drawn by. (default: 1)")
  var seed: String?

  @Option(help: "Where the rows go. (default: a new file here)")
  var csv: String?

  @Flag(help: "Replace the file that is there.")
  var force = false

  @Flag(help: "Only show what would be run, and how long it would take.")
  var dryRun = false

  @Flag(help: "Draw no progress bar.")
  var noProgress = false

  @Flag(help: "Run although this build is not fit for measuring.")
  var allowUnoptimized = false

  /// Where the rows go: a file, since every process of the run appends to it.
  func destination() throws(CommandError) -> OutputDestination {
    if csv == "-" { throw .usage("regret reads its rows again (allowed: --csv PATH, or none)") }
    let path = csv ?? "weakbench-regret-\(UTCTime.now.compact).csv"
    return force ? OutputDestination(replacing: path) : OutputDestination(ofNew: path)
  }

  var isEmpty: Bool {
    [draw, trials, seconds, seed, csv].allSatisfy { $0 == nil }
      && ![force, dryRun, noProgress, allowUnoptimized].contains(true)
  }
}
