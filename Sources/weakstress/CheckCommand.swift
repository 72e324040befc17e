import TerminalIO
import ArgumentParser
import Linearizability

/// Checks a history that was recorded anywhere.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check a recorded history for linearizability.",
    discussion: CheckHelp.text)

  @Option(help: "What was recorded: register, dictionary or weak-array.")
  var model: String

  @Option(help: "Give up after so many seconds. (default: 60)")
  var timeLimit: String?

  @Argument(help: "The history, as JSON Lines; - is standard input.")
  var file: String

  func run() throws {
    guard let model = RecordedObject(rawValue: model) else {
      throw CommandError.unknown(
        "model", self.model, allowed: RecordedObject.allCases.map(\.rawValue))
    }
    let seconds = try OptionText("--time-limit", timeLimit, allowed: 1...86_400)
      .seconds(otherwise: 60)
    let source = HistorySource(name: file)
    let finding = try model.check(
      source.bytes(), from: source.title, timeLimit: .seconds(seconds))
    finding.lines.forEach(Console.print)
    if let ending = finding.ending { throw ending }
  }
}
