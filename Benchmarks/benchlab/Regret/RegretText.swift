import TerminalIO
import Charts
import Choosing
import Reporting
import WeakCollections

/// What the chooser's picks cost, for people.
struct RegretText {
  let trial: RegretTrial
  /// Whether every question is shown.
  let explains: Bool

  var text: String {
    let names = [("median", 0.5), ("95th percentile", 0.95), ("worst", 1)]
    let figures = names.map { name, part in
      "\(name) \(NumberText.amount(trial.regret(atQuantile: part)))"
    }
    let undecided = trial.questions.count { $0.isUndecided }
    let summary =
      "regret \(figures.joined(separator: ", ")) of \(trial.questions.count) questions, "
      + "\(undecided) of them undecided; \(trial.outside) more lay outside what was measured\n"
      + "noise floor \(noiseFloors), \(trial.noiseOrigin); what is below counts as 1.00"
    return explains && !trial.questions.isEmpty
      ? (table.lines + ["", summary]).joined(separator: "\n") : summary
  }

  private var noiseFloors: String {
    trial.noiseFloors.map { NumberText.amount(100 * $0) + " %" }.withoutRepetitions
      .joined(separator: " to ")
  }

  private var table: TextTable {
    TextTable(
      columns: ["REGRET", "PICKED", "BEST", "POINT", "ASKED BY"].map { .init(title: $0) },
      rows: trial.questions.sorted { $0.regret > $1.regret }.map { question in
        [
          NumberText.amount(question.regret),
          question.picked.rawValue + (question.isUndecided ? " ≈" : ""), question.best.rawValue,
          "\(question.point.collection.rawValue), \(question.point)",
          question.asMix ? "mix" : "name",
        ]
      })
  }
}
