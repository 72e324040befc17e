import Charts
import Linearizability
import TerminalIO

/// The kinds of recorded objects, by the names of `--model`.
enum RecordedObject: String, CaseIterable {
  case register
  case dictionary
  case weakArray = "weak-array"

  fileprivate typealias Registers = KeyedModel<RegisterModel<String>, String?>
  fileprivate typealias Dictionaries = DictionaryModel<String, String>
  fileprivate typealias WeakArrays = KeyedModel<WeakArrayModel<String>, String?>

  /// The operations of the model.
  var signatures: [OperationSignature] {
    switch self {
    case .register: Registers.signatures
    case .dictionary: Dictionaries.signatures
    case .weakArray: WeakArrays.signatures
    }
  }

  /// The formats in which a history of the object can be recorded.
  var formats: [HistoryFile.Format] {
    HistoryFile.Format.allCases.filter { $0.object == nil || $0.object == self }
  }
}

extension HistoryFile.Format {
  /// The object whose operations the format records; `nil` for any.
  fileprivate var object: RecordedObject? {
    switch self {
    case .jsonLines: nil
    case .jepsen: .register
    case .porcupine: .dictionary
    }
  }
}

/// The history in a file.
struct RecordedHistory {
  let bytes: [UInt8]
  /// The name of the file in messages.
  let file: String
  let format: HistoryFile.Format

  /// Reads and checks the history.
  ///
  /// - Parameters:
  ///   - object: The recorded object; `nil` for the one that the format implies.
  ///   - timeLimit: The time limit for the verdict.
  ///   - minimizing: The time limit for the search for a smaller counterexample.
  /// - Throws: A usage error if no object, or the wrong one, is given for the format; an error with
  ///   the place if the file is malformed.
  func check(
    as object: RecordedObject?, timeLimit: Duration, minimizing: Duration = .seconds(5)
  ) throws(CommandError) -> HistoryFinding {
    let limits = HistoryFinding.Limits(verdict: timeLimit, minimization: minimizing)
    return switch try recordedObject(object) {
    case .register: try check(RecordedObject.Registers(RegisterModel()), limits)
    case .dictionary:
      try check(RecordedObject.Dictionaries(initialValue: format == .porcupine ? "" : nil), limits)
    case .weakArray: try check(RecordedObject.WeakArrays(WeakArrayModel()), limits)
    }
  }

  private func recordedObject(_ object: RecordedObject?) throws(CommandError) -> RecordedObject {
    let allowed = format.object.map { [$0] } ?? RecordedObject.allCases
    let names = allowed.map(\.rawValue).joined(separator: ", ")
    guard let object = object ?? format.object else {
      throw .usage("\(file) is read as \(format.rawValue), which needs --model (allowed: \(names))")
    }
    guard allowed.contains(object) else {
      throw .usage(
        "\(file) is read as \(format.rawValue), which has no --model \(object.rawValue) "
          + "(allowed: \(names))")
    }
    return object
  }

  private func check<Model: RecordedModel>(
    _ model: Model, _ limits: HistoryFinding.Limits
  ) throws(CommandError) -> HistoryFinding {
    do {
      let history = try HistoryFile.history(in: bytes, of: model, format: format)
      return HistoryFinding(history, of: file, model, limits)
    } catch {
      throw CommandError(status: .badData, description: "\(file): \(error)")
    }
  }
}

/// The result for a history file: lines for standard output, and the exit status.
struct HistoryFinding {
  let lines: [String]
  /// The error that ends the program, with its exit status; `nil` if the history is linearizable.
  let ending: CommandError?

  /// The time limits of a check.
  fileprivate struct Limits {
    var verdict: Duration
    var minimization: Duration
  }

  /// Checks a history.
  fileprivate init<Model: RecordedModel>(
    _ history: History<Model.Input, Model.Output>, of file: String, _ model: Model,
    _ limits: Limits
  ) {
    let count = history.operations.count
    let operations = "\(NumberText.count(count)) \(count == 1 ? "operation" : "operations")"
    switch Checker(model, timeLimit: limits.verdict).check(history) {
    case .linearizable:
      lines = ["linearizable: \(operations)"]
      ending = nil
    case .illegal(let counterexample):
      let smallest = Checker(model, timeLimit: limits.minimization)
        .core(of: counterexample, in: history)
      lines = CounterexampleText(smallest, of: history, model).lines
      ending = CommandError(status: .found, description: "\(file) is not linearizable")
    case .unknown:
      let seconds = NumberText.amount(limits.verdict / .seconds(1))
      lines = ["unknown: \(operations)"]
      ending = CommandError(
        status: .undecided,
        description: "\(file): no verdict within \(seconds) s; try a greater --time-limit")
    }
  }
}

/// A counterexample as text: a table of calls and returns in order of time, with a column per
/// worker, and the partial linearization below.
struct CounterexampleText<Model: RecordedModel> {
  private let counterexample: Counterexample<Model>
  private let operations: [Operation<Model.Input, Model.Output>]
  private let model: Model

  init(
    _ counterexample: Counterexample<Model>, of history: History<Model.Input, Model.Output>,
    _ model: Model
  ) {
    self.counterexample = counterexample
    operations = history.operations
    self.model = model
  }

  var lines: [String] {
    let key = call(of: counterexample.unplaceable).key
    let place = key.map { " of key \(RecordedValue.string($0))" } ?? ""
    let count = counterexample.operations.count
    let title =
      count == 1
      ? "illegal: no state explains this operation\(place)"
      : "illegal: no order explains these \(count) operations\(place)"
    return [title, ""] + table.lines + [""] + prefixLines + [""] + conclusion
  }

  /// The calls and returns. A mark precedes the return that no order explains.
  private var table: TextTable {
    let workers = Set(counterexample.operations.map { operations[$0].worker }).sorted()
    let columns = [TextTable.Column(title: "TIME", alignment: .right), .init(title: " ")]
    return TextTable(
      columns: columns + workers.map { .init(title: "WORKER \($0)") },
      rows: moments.map { moment in
        let isMarked = moment.isReturn && moment.operation == counterexample.unplaceable
        let column = workers.firstIndex(of: operations[moment.operation].worker) ?? 0
        let cells = Array(repeating: "", count: column) + [text(of: moment)]
        return ["\(moment.stamp)", isMarked ? "!" : ""] + cells
      })
  }

  private struct Moment {
    var stamp: UInt64
    var isReturn: Bool
    var operation: Int
  }

  private var moments: [Moment] {
    let calls = counterexample.operations.map { index in
      Moment(stamp: operations[index].call, isReturn: false, operation: index)
    }
    let returns = counterexample.operations.compactMap { index in
      operations[index].return.map { Moment(stamp: $0, isReturn: true, operation: index) }
    }
    return (calls + returns).sorted { left, right in
      left.stamp != right.stamp
        ? left.stamp < right.stamp : !left.isReturn && right.isReturn
    }
  }

  private func text(of moment: Moment) -> String {
    guard moment.isReturn else { return callText(of: moment.operation) }
    return "-> \(resultText(of: moment.operation))"
  }

  /// The partial linearization, with the state after each operation.
  private var prefixLines: [String] {
    let steps = zip(counterexample.prefix, counterexample.states.dropFirst())
    let rows = steps.enumerated().map { number, step in
      [
        "\(number + 1).", "worker \(operations[step.0.operation].worker)",
        text(of: step.0.operation), "state \(model.value(of: step.1))",
      ]
    }
    guard !rows.isEmpty else { return ["No operation can come before it."] }
    let table = TextTable(
      columns: [.init(alignment: .right), .init(), .init(), .init()], rows: rows)
    return ["The longest partial linearization:"] + table.lines
  }

  private var conclusion: [String] {
    let others = counterexample.candidates.filter { $0 != counterexample.unplaceable }
    let end = operations[counterexample.unplaceable].return ?? .max
    let unplaceable = "cannot take effect by \(end): \(described(counterexample.unplaceable))"
    return [unplaceable] + others.map { "not even after: \(described($0))" }
  }

  private func described(_ index: Int) -> String {
    "worker \(operations[index].worker), \(text(of: index))"
  }

  private func text(of index: Int) -> String {
    "\(callText(of: index)) -> \(resultText(of: index))"
  }

  private func callText(of index: Int) -> String {
    let call = call(of: index)
    return "\(call.operation)(\(call.arguments.map(\.description).joined(separator: ", ")))"
  }

  private func resultText(of index: Int) -> String {
    operations[index].output.map { model.result(for: $0).description } ?? "never returned"
  }

  private func call(of index: Int) -> RecordedCall { model.call(for: operations[index].input) }
}
