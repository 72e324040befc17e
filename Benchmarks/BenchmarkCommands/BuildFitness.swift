import TerminalIO
import Benchmarking

/// Keeps times of builds that nobody ships out of the results.
package enum BuildFitness {
  /// For a command of weakbench, and the script that builds it right, if there is one.
  package static func check(
    allowsUnoptimized: Bool, command: String = "run", script: String? = "scripts/bench"
  ) throws(CommandError) {
    guard !BuildKind.isFitForMeasuring && !allowsUnoptimized else { return }
    throw refusal(
      of: BuildKind.name, command: command, script: script,
      arguments: Array(CommandLine.arguments.dropFirst(2)))
  }

  /// `arguments` are those after the command.
  package static func refusal(
    of build: String, program: String = Console.programName, command: String = "run", script: String? = "scripts/bench",
    arguments: [String]
  ) -> CommandError {
    let words = arguments.map { " \($0.quotedForShell)" }.joined()
    let release = "swift run -c release \(program) \(command)\(words)"
    let advice =
      script.map { "\($0)\(words) (or: \(release); --allow-unoptimized runs it anyway)" }
      ?? "\(release) (--allow-unoptimized runs it anyway)"
    return .usage("this is a \(build) build, whose times mean nothing; type: \(advice)")
  }
}
