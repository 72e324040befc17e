import BenchmarkCommands
import TerminalIO
import ArgumentParser

/// The program that measures, and reads what was measured.
@main
struct WeakbenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "weakbench",
    abstract: "Measures thread-safe weak collections and dictionaries, backend against backend.",
    discussion: """
      Data goes to standard output, everything else to standard error.

      \(ExitStatus.helpText)
      """,
    version: "1.0.0",
    subcommands: [
      RunCommand.self, ShowCommand.self, CompareCommand.self, ChooseCommand.self, ListCommand.self,
      MergeCommand.self, ForkCommand.self,
    ])

  static func main() async { await runProgram() }
}
