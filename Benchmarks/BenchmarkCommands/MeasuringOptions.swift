import ArgumentParser
import Benchmarking
import TerminalIO
import Workloads

// Options that mean the same in every command that measures.

/// The check that keeps times of debug builds out of the results, with the option that skips it.
package struct BuildFitness: ParsableArguments {
  // Hidden: the refusal of such a build names it.
  @Flag(
    help: ArgumentHelp("Run in a build that is not fit for measuring.", visibility: .hidden))
  package var allowUnoptimized = false

  package init() {}

  /// Throws a usage error if this build is not fit for measuring, unless the option allows it.
  ///
  /// - Parameters:
  ///   - command: The command, for the message.
  ///   - script: The script that makes the right build, if there is one.
  package func check(command: String, script: String?) throws(CommandError) {
    guard !BuildKind.isFitForMeasuring && !allowUnoptimized else { return }
    throw Self.refusal(
      of: BuildKind.name, command: command, script: script,
      arguments: Array(CommandLine.arguments.dropFirst(2)))
  }

  /// Returns the error with the command to type instead.
  ///
  /// - Parameter arguments: The arguments after the command.
  package static func refusal(
    of build: String, program: String = Console.programName, command: String = "run",
    script: String? = "scripts/bench",
    arguments: [String]
  ) -> CommandError {
    let words = arguments.map { " \($0.quotedForShell)" }.joined()
    let release = "swift run -c release \(program) \(command)\(words)"
    let advice =
      script.map { "\($0)\(words) (or: \(release); --allow-unoptimized runs it anyway)" }
      ?? "\(release) (--allow-unoptimized runs it anyway)"
    return .usage("this is a \(build) build, whose times are meaningless; type: \(advice)")
  }
}

/// The option against the progress bar.
package struct ProgressOption: ParsableArguments {
  @Flag(help: "Draw no progress bar.")
  package var noProgress = false

  package init() {}
}

/// The option for the seed of a command that draws one by default.
package struct SeedOption: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Seed of the keys and the order. (default: random)", valueName: "number"))
  package var seed: String?

  package init() {}

  /// Returns the seed, or `drawn` without the option.
  package func seed(otherwise drawn: Seed) throws(CommandError) -> Seed {
    try Seed(option: seed, otherwise: drawn)
  }
}
