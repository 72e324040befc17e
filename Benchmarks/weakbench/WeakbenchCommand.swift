import BenchmarkCommands
import TerminalIO
import ArgumentParser

/// The program that measures collections, and shows, compares and merges the rows.
@main
struct WeakbenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "weakbench",
    abstract: "Measure thread-safe weak collections and dictionaries.",
    discussion: """
      Data goes to standard output, everything else to standard error. See
      docs/benchmarking.md.

      \(ExitStatus.helpText)
      """,
    version: "0.1.0",
    subcommands: [
      RunCommand.self, ShowCommand.self, CompareCommand.self, ChooseCommand.self, ListCommand.self,
      MergeCommand.self, SessionCommand.self,
    ])

  static func main() async { await runProgram() }
}
