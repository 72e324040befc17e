import ArgumentParser
import TerminalIO

/// The program that shows what another process reports of its leaks.
@main
struct LeakwatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leakwatch",
    abstract: "Watches the leaks that a process reports.",
    discussion: """
      Data goes to standard output, everything else to standard error.

      \(ExitStatus.helpText)
      """,
    version: "1.0.0",
    subcommands: [WatchCommand.self, BindingsCommand.self])

  static func main() async { await runProgram() }
}
