import ArgumentParser
import LeakReports
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

/// Shows what became of a program's bindings.
struct BindingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bindings",
    abstract: "Show which view models a program bound and did not release, as last reported.",
    discussion: """
      FILE is what a program appends its reports of bindings to:

        let trigger = BindingAnalyzer.shared.reportOnSignal(SIGUSR1) { report in
          try? report.append(toFile: "bindings.jsonl")
        }

      Then `kill -USR1 PID` has it append one. Shown is the last: what was not released first, then \
      mistakes, then what was released.

      STATUS: 0 nothing is wrong, though some may be bound; 1 something lives on after its unbinding, was never \
      unbound, was bound twice, or unbound without being bound; 64 the file cannot be read; 65 it is damaged, \
      and the place is told.
      """)

  @Argument(help: "Reports as JSON Lines.")
  var file: String

  func run() throws {
    guard let report = try Self.reports(in: file).last?.report else {
      return Console.note("\(file.quotedOnOneLine) has no report yet")
    }
    if report.counts.isEmpty {
      Console.note("no bindings")
    } else {
      Console.print(report.text)
    }
    guard !report.isWithoutMistakes else { return }
    throw CommandError(status: .found, description: "bindings are not as they should be")
  }

  private static func reports(in file: String) throws(CommandError) -> [BindingReportRecord] {
    do {
      return try BindingReportRecord.records(inFile: file)
    } catch {
      throw CommandError(error, allowed: "reports of bindings as JSON Lines")
    }
  }
}
