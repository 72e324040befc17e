import TerminalIO
import Charts
import Measurements
import Reporting
import Workloads

/// The rows of a run for people: who needs how long for what.
struct SummaryTable {
  /// More blocks than this would scroll away; the thread counts become columns then.
  static let mostDetailedBlocks = 4

  private let lines: [SummaryLine]
  private let openLoops: OpenLoopTable
  private let isQuick: Bool
  private let isDetailed: Bool

  init(of measurements: [Measurement], isQuick: Bool, details: Bool) {
    openLoops = OpenLoopTable(of: measurements)
    let lines = SummaryLine.lines(
      for: measurements.filter { $0.configuration.pace.mode == .closed })
    isDetailed = details || Self.groups(of: lines, by: \.threads).count <= Self.mostDetailedBlocks
    self.lines = CatalogOrder.sorted(lines, threadsFirst: isDetailed)
    self.isQuick = isQuick
  }

  /// Empty if there is nothing to show.
  var text: String {
    let blocks =
      isDetailed
      ? Self.groups(of: lines, by: \.threads).map(detailedBlock)
      : Self.groups(of: lines, by: { _ in 0 }).map(matrixBlock)
    var all = (blocks.isEmpty ? [] : blocks + [legend]) + openLoops.blocks
    if isQuick, !all.isEmpty { all[all.count - 1].append("This was --quick: not for decisions.") }
    return all.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  /// One line for each contestant, at one number of threads.
  private func detailedBlock(_ lines: [SummaryLine]) -> [String] {
    let titles = ["ns/op", "", "min–max", "ops/s", "p50 ns", "p99 ns", "B/op", "B/entry"]
    let table = TextTable(
      columns: [.init(title: "BACKEND")] + titles.map { .init(title: $0, alignment: .right) },
      rows: lines.map { line in
        let summary = line.summary
        let spread = [summary.minNanosecondsPerOperation, summary.maxNanosecondsPerOperation]
        return [
          line.name, NumberText.amount(summary.medianNanosecondsPerOperation), line.mark.symbol,
          spread.map(NumberText.amount).joined(separator: "–"),
          NumberText.rate(summary.medianOperationsPerSecond),
          NumberText.amount(line.p50Nanoseconds), NumberText.amount(line.p99Nanoseconds),
          NumberText.amount(line.allocatedBytesPerOperation),
          NumberText.amount(line.liveBytesPerEntry),
        ]
      })
    let threads = Self.threadsText(lines[0].configuration.threads)
    return ["\(Self.title(of: lines[0])), \(threads)"] + table.lines
  }

  /// One line for each contestant, one column for each number of threads.
  private func matrixBlock(_ lines: [SummaryLine]) -> [String] {
    let threads = lines.map(\.configuration.threads).withoutRepetitions.sorted()
    var columns = [TextTable.Column(title: "BACKEND")]
    for count in threads {
      columns.append(.init(title: Self.threadsText(count), alignment: .right))
      columns.append(.init())
    }
    columns += [
      .init(title: "B/op", alignment: .right), .init(title: "B/entry", alignment: .right),
    ]
    let names = lines.map(\.name).withoutRepetitions
    let rows = names.map { name in
      let own = lines.filter { $0.name == name }
      let cells = threads.flatMap { count in
        let line = own.first { $0.configuration.threads == count }
        return [
          NumberText.amount(line?.summary.medianNanosecondsPerOperation), line?.mark.symbol ?? "",
        ]
      }
      return [name] + cells + [
        NumberText.amount(own.first?.allocatedBytesPerOperation),
        NumberText.amount(own.first?.liveBytesPerEntry),
      ]
    }
    return [Self.title(of: lines[0])] + TextTable(columns: columns, rows: rows).lines
  }

  private static func threadsText(_ count: Int) -> String {
    count == 1 ? "1 thread" : "\(count) threads"
  }

  static func title(of line: SummaryLine) -> String {
    let configuration = line.configuration
    let mix =
      configuration.workload == Workload.customName ? " (\(configuration.shares.mixText))" : ""
    let roles = configuration.roles.map { " (\($0))" } ?? ""
    let driver = configuration.driver == "threads" ? "" : ", on \(configuration.driver)"
    let facts = configuration.unusualEntries.map { ", \($0)" }.joined()
    return "\(configuration.collection), \(configuration.workload)\(mix)\(roles)\(facts), "
      + "size \(NumberText.count(configuration.size))\(driver)"
  }

  private var legend: [String] {
    let marks =
      "★ fastest, beyond what at least \(Ranking.trialsNeeded) trials vary; ≈ may be the fastest; "
      + "\(NumberText.missing) not measured."
    let units =
      isDetailed
      ? "ns/op: what one thread sees, median; B/op: allocated by an operation; "
        + "B/entry: live for an entry."
      : "Columns: median ns/op as one thread sees it; B/op allocated and B/entry live at the fewest "
        + "threads. --details shows more."
    return [marks, units]
  }

  /// The lines of one collection, workload and size, and of one value of `aspect`, in order.
  private static func groups(
    of lines: [SummaryLine], by aspect: (Measurement.Configuration) -> Int
  ) -> [[SummaryLine]] {
    struct Key: Hashable { let names: [String], size: Int, aspect: Int }
    let keys = lines.map { line in
      let configuration = line.configuration
      return Key(
        names: [
          configuration.collection, configuration.workload, configuration.driver,
          configuration.roles ?? "",
        ] + configuration.unusualEntries, size: configuration.size,
        aspect: aspect(configuration))
    }
    let grouped = Dictionary(grouping: zip(keys, lines), by: \.0)
    return keys.withoutRepetitions.map { grouped[$0, default: []].map(\.1) }
  }
}
