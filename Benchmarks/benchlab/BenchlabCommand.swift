import ArgumentParser
import BenchmarkCommands
import TerminalIO

/// The program that maintainers of this package run.
@main
struct BenchlabCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchlab",
    abstract: "Checks what this package promises: requirements, verdicts, memory, scaling, regret.",
    discussion: """
      Data goes to standard output, everything else to standard error.

      \(ExitStatus.helpText)
      """,
    version: "1.0.0",
    subcommands: [
      LimitsCommand.self, VerdictsCommand.self, RatesCommand.self, RegretCommand.self,
      ScalingCommand.self, SoakCommand.self, ForkCommand.self,
    ])

  static func main() async { await runProgram() }
}
