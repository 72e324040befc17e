import ArgumentParser
import LeakReports
import TerminalIO

/// The program that shows the leaks that another process reports, and the live objects of a
/// process.
@main
struct LeakwatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leakwatch",
    abstract: "Shows the leaks that another process reports, and its live objects.",
    discussion: """
      Data goes to standard output, everything else to standard error.

      \(ExitStatus.helpText)
      """,
    version: "0.1.0",
    subcommands: [WatchCommand.self, HeapCommand.self, BindingsCommand.self])

  static func main() async { await runProgram() }
}

/// The command that shows the last report that a program wrote about its bindings.
struct BindingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bindings",
    abstract: "Shows the bindings of view models that a program last reported.",
    usage: "leakwatch bindings <file>",
    discussion: """
      A program appends its reports to <file>, for example at a signal:

        let trigger = BindingAnalyzer.shared.reportOnSignal(SIGUSR1) { report in
          try? report.append(toFile: "bindings.jsonl")
        }

      Then `kill -USR1 PID` appends a report. The command shows the last report:
      unreleased bindings, then mistakes, then released bindings.

      EXIT STATUS: 0 no mistake, although some objects may still be bound; 1 an
      object survived its unbinding, an unbinding is missing or unmatched, or a pair
      was bound twice; 2 the file has no report; 64 the file cannot be read; 65 the
      file is damaged.
      """)

  @Argument(help: "The reports as JSON Lines.")
  var file: String

  func run() throws {
    guard let report = try Self.reports(in: file).last?.report else {
      throw CommandError(
        status: .failed,
        description: "\(file.quotedOnOneLine) has no report yet; the program appends one with "
          + "BindingReport.append(toFile:)")
    }
    if report.counts.isEmpty {
      Console.note("no bindings")
    } else {
      Console.print(report.text)
    }
    guard !report.isWithoutMistakes else { return }
    throw CommandError(status: .found, description: "some bindings were not released correctly")
  }

  private static func reports(in file: String) throws(CommandError) -> [BindingReportRecord] {
    do {
      return try BindingReportRecord.records(inFile: file)
    } catch {
      throw CommandError(error, allowed: "binding reports as JSON Lines")
    }
  }
}
