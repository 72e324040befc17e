import TerminalIO
import Charts
import Linearizability

/// What was found out about a history file: lines for standard output, and how the command ends.
struct HistoryFinding {
  var lines: [String]
  /// `nil` if the history is linearizable.
  var ending: CommandError?

  /// How long the search for a smaller counterexample may take.
  private static let shrinkingLimit = Duration.seconds(5)

  static func of<Model: RecordedModel>(
    _ bytes: [UInt8], _ file: String, _ model: Model, _ timeLimit: Duration
  ) throws(CommandError) -> HistoryFinding {
    let history: History<Model.Input, Model.Output>
    do {
      history = try HistoryFile.history(in: bytes, of: model)
    } catch {
      throw CommandError(status: .badData, description: "\(file): \(error)")
    }
    let operations = "\(NumberText.count(history.operations.count)) operations"
    switch Checker(model, timeLimit: timeLimit).check(history) {
    case .linearizable:
      return HistoryFinding(lines: ["linearizable: \(operations)"])
    case .illegal(let counterexample):
      let smallest = Checker(model, timeLimit: shrinkingLimit)
        .core(of: counterexample, in: history)
      return HistoryFinding(
        lines: CounterexampleText(smallest, of: history, model).lines,
        ending: CommandError(
          status: .found, description: "\(file) is not linearizable"))
    case .unknown:
      let seconds = NumberText.amount(timeLimit / .seconds(1))
      return HistoryFinding(
        lines: ["unknown: \(operations)"],
        ending: CommandError(
          status: .undecided,
          description: "\(file): not decided in \(seconds) s; try --time-limit"))
    }
  }
}
