import BenchmarkCommands
import Benchmarking
import Charts
import Measurements
import TerminalIO
import WeakCollections
import Workloads

/// The results of `loop` as tables and as CSV.
struct LoopReport: Sendable {
  /// A trial with its result.
  struct Row: Sendable {
    let contestant: String
    let entries: Int
    let cell: LoopCell
    let trial: Int
    let seed: Seed
    let operations: Int
    let nanosecondsPerOperation: Double
  }

  let names: [String]
  let entries: [Int]
  let cells: [LoopCell]
  let preamble: String
  private(set) var rows: [Row] = []
  private var trials = FigureTrials()

  init(names: [String], entries: [Int], cells: [LoopCell], preamble: String) {
    self.names = names
    self.entries = entries
    self.cells = cells
    self.preamble = preamble
  }

  init(_ plan: LoopPlan) {
    self.init(
      names: plan.contestants.map(\.name), entries: plan.entries, cells: plan.cells,
      preamble: EnvironmentProbe.environment(machine: nil).sentence + "\n"
        + "ns per operation, all threads together: the best of \(plan.rounds) trials of "
        + "\(NumberText.amount(plan.seconds)) s (their median); --seed \(plan.seed).\n"
        + "A column is the percentage of replaces, or the keys of a batch that is read, × the "
        + "threads. "
        + "\(Contestant.baseline(for: .dictionary).name): the draws alone.\n"
        + "Keys and operations are drawn while the loop is timed; `benchlab limits` draws them "
        + "before the clock starts.")
  }

  mutating func add(_ result: DrawLoopReport, of trial: LoopPlan.Trial) {
    add(
      Row(
        contestant: trial.contestant.name, entries: trial.loop.entries, cell: LoopCell(trial.loop),
        trial: trial.number, seed: trial.loop.seed,
        operations: result.workers.reduce(0) { $0 + $1.operations },
        nanosecondsPerOperation: result.nanosecondsPerOperation))
  }

  mutating func add(_ row: Row) {
    rows.append(row)
    trials.add(
      row.nanosecondsPerOperation, to: Self.figure(row.contestant, row.entries, row.cell))
  }

  /// The preamble, and a table for each number of entries.
  var text: String {
    ([preamble] + entries.map(table)).joined(separator: "\n\n")
  }

  private func table(_ entries: Int) -> String {
    let table = TextTable(
      columns: [.init(title: "\(NumberText.count(entries)) entries")]
        + cells.map { .init(title: $0.title, alignment: .right) },
      rows: names.map { name in
        [name]
          + cells.map { cell in
            let figure = Self.figure(name, entries, cell)
            return Self.text(trials.values[figure]?.min(), trials.median(of: figure))
          }
      } + ratios(entries))
    return table.lines.joined(separator: "\n")
  }

  /// Returns the lines with the time of `LimitCatalog.subject` divided by that of the JDK's maps.
  private func ratios(_ entries: Int) -> [[String]] {
    guard names.contains(LimitCatalog.subject) else { return [] }
    return names.filter { $0.hasPrefix(LimitCatalog.jdk) }.map { jdk in
      ["\(LimitCatalog.subject) ÷ \(jdk)"]
        + cells.map { cell in
          let own = Self.figure(LimitCatalog.subject, entries, cell)
          let theirs = Self.figure(jdk, entries, cell)
          return Self.text(
            Self.ratio(trials.values[own]?.min(), trials.values[theirs]?.min()),
            Self.ratio(trials.median(of: own), trials.median(of: theirs)))
        }
    }
  }

  private static func figure(_ name: String, _ entries: Int, _ cell: LoopCell) -> Figure {
    Figure("\(entries)", name, cell.title)
  }

  private static func ratio(_ time: Double?, _ other: Double?) -> Double? {
    guard let time, let other else { return nil }
    return time / other
  }

  private static func text(_ best: Double?, _ median: Double?) -> String {
    "\(NumberText.amount(best)) (\(NumberText.amount(median)))"
  }

  /// The trials as CSV, in the order in which they ran.
  var csv: String {
    let lines = rows.map { row in
      "\(row.contestant),\(row.entries),\(row.cell.replacePercent),\(row.cell.batch),"
        + "\(row.cell.threads),\(row.trial),\(row.seed),\(row.operations),\(row.nanosecondsPerOperation)\n"
    }
    return "contestant,entries,replace_share,batch,threads,trial,seed,operations,ns_per_op\n"
      + lines.joined()
  }
}
