import ArgumentParser
import BenchmarkCommands
import TerminalIO

public import struct Benchmarking.Contestant

/// The program `weakbench`, also for packages that measure collections of their own.
///
/// A program whose `main.swift` calls `run(with:)` has the commands of `weakbench`. Its own
/// collections are in `list`, and `run` measures them beside those of this package.
/// `Examples/YourCollection` is such a package.
public enum Weakbench {
  /// Runs the command that the arguments of the process name, and ends the process if it fails.
  ///
  /// Call this function once, at the beginning of the program: `run` starts the same program again
  /// for each of its sessions.
  ///
  /// - Parameter contestants: Collections of your own.
  /// - Precondition: No two contestants of one collection have the same name.
  public static func run(with contestants: [Contestant] = []) async {
    Contestant.register(contestants)
    await WeakbenchCommand.runProgram()
  }
}

/// The commands that measure collections, and show, compare and merge the rows.
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
}
