import ArgumentParser
import BenchmarkCommands
import TerminalIO

/// The program with which maintainers check this package.
@main
struct BenchlabCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchlab",
    abstract: "Check the requirements of this package, for its maintainers.",
    discussion: """
      Data goes to standard output, everything else to standard error. See
      docs/benchmarking.md.

      \(ExitStatus.helpText)
      """,
    version: "0.1.0",
    subcommands: [
      CalibrationCommand.self, LimitsCommand.self, LoopCommand.self, VerdictsCommand.self,
      RatesCommand.self, RegretCommand.self, ReplicationCommand.self, ScalingCommand.self,
      SoakCommand.self, SessionCommand.self,
    ])

  static func main() async { await runProgram() }
}
