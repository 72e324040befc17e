import Linearizability
import StressTesting
import TerminalIO

/// A finding as text: the violation, a table with a column per thread, and the command that repeats
/// it.
struct FindingText {
  let finding: Finding

  var text: String {
    var parts = ["\(finding.title)\n\(finding.size)"]
    if let timeline = finding.timeline { parts.append(table(timeline)) }
    if !finding.explanation.isEmpty { parts.append(finding.explanation.joined(separator: "\n")) }
    if !finding.violation.trace.isEmpty {
      parts.append(finding.violation.trace.scheduleLines.joined(separator: "\n"))
    }
    parts.append("Repeat it:\n  \(finding.replayCommand)")
    return parts.joined(separator: "\n\n") + "\n"
  }

  private func table(_ timeline: Timeline) -> String {
    let columns = timeline.laneNames.map { TextTable.Column(title: $0) }
    let table = TextTable(columns: columns, rows: timeline.rows)
    return table.lines.map { "  \($0)" }.joined(separator: "\n")
  }
}

/// A counterexample as text: calls and returns in order of time, in a table with a column per
/// worker.
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

  /// The calls and returns; a mark is on the left of the return that no order explains.
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
