import ArgumentParser
import StressTesting
import TerminalIO

/// Repeats what an earlier finding printed.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Repeat a finding of `weakstress run` from the line that it printed.",
    discussion: """
      A schedule is repeated once and exactly; a scenario of real threads is tried again for --seconds.

      EXAMPLES:
        weakstress replay --backend mutex wc1.threads.dictionary.s0-0.7
      """)

  @Option(help: "weak-array, dictionary, weak-set. (default: the one in the string)")
  var collection: String?

  @Option(help: "The backend that the finding names.")
  var backend: String?

  @Option(
    parsing: .unconditional, help: "How long it is tried, also fractions such as 0.5. (default: 30)"
  )
  var seconds: String?

  @Option(help: "Where a finding is drawn as a page; the file is replaced.")
  var html: String?

  @Argument(help: "What a finding printed.")
  var text: String

  func run() async throws {
    var options = try StressOptions.parse([])
    options.collection = collection
    options.backend = backend
    options.seconds = seconds
    options.html = html
    try await StressCommand.run(StressPlan(options, replaying: text))
  }
}
