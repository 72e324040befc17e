import ArgumentParser
import TerminalIO

/// The program that tests collections with random scenarios and checks histories.
@main
struct WeakstressCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "weakstress",
    abstract: "Stress-tests weak collections and dictionaries, and checks histories.",
    discussion: """
      Data goes to standard output, everything else to standard error.

      \(ExitStatus.helpText)
      """,
    version: "0.1.0",
    subcommands: [StressCommand.self, ReplayCommand.self, CheckCommand.self],
    defaultSubcommand: StressCommand.self)

  static func main() async { await runProgram() }
}
