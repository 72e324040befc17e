import ArgumentParser
import TerminalIO

/// The program that runs random scenarios on collections, and checks recorded histories.
@main
struct WeakstressCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "weakstress",
    abstract: "Stress-test weak collections and dictionaries, and check histories.",
    discussion: """
      Data goes to standard output, everything else to standard error. See
      docs/verification.md.

      \(ExitStatus.helpText)
      """,
    version: "0.1.0",
    subcommands: [
      StressCommand.self, CheckCommand.self, ReplayCommand.self, StressListCommand.self,
    ])

  static func main() async { await runProgram() }
}
