import BenchmarkCommands
import TerminalIO
import ArgumentParser

/// Says what got better and what worse between two files, or which backend is better within one.
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Say what is better, the same or worse than before, or than another backend.",
    discussion: CompareHelp.text)

  @OptionGroup var options: CompareOptions

  func run() throws {
    let plan = try ComparePlan(options)
    if case .onlySaved(let file) = plan.source {
      _ = try ResultsFile.rows(inAll: [file])
      return try Self.save(plan)
    }
    let result = try CompareResult(plan)
    let text = result.text  // Before the file is emptied.
    try OutputFile(opening: plan.output).write(text)
    result.advice.map(Console.note)
    guard result.status == .fine else {
      throw CommandError(status: result.status, description: result.counts)
    }
    Console.note(result.counts)
    if plan.saveBaseline != nil && !result.isDecided {
      return Console.note("\(plan.source.candidate) is not saved: what is undecided is no baseline")
    }
    try Self.save(plan)
  }

  private static func save(_ plan: ComparePlan) throws(CommandError) {
    guard let baseline = plan.saveBaseline else { return }
    try baseline.save(fileAt: plan.source.candidate)
    Console.note("\(plan.source.candidate) is saved as the baseline \(baseline.name)")
  }
}
