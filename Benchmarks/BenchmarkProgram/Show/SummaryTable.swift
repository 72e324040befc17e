import BenchmarkCommands
import Benchmarking
import Charts
import Measurements
import Reporting
import TerminalIO
import WeakCollections
import Workloads

/// The table of a run: time per operation, latency and bytes of every backend.
struct SummaryTable {
  /// The largest number of detailed blocks; for more, the numbers of threads become columns.
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

  /// The table; empty without rows.
  var text: String {
    let blocks =
      isDetailed
      ? Self.groups(of: lines, by: \.threads).map(detailedBlock)
      : Self.groups(of: lines, by: { _ in 0 }).map(matrixBlock)
    var all = (blocks.isEmpty ? [] : blocks + [legend]) + openLoops.blocks
    if isQuick, !all.isEmpty {
      all[all.count - 1].append("This was --quick: one session, indicative, not for decisions.")
    }
    return all.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  /// Returns one line per contestant, at one number of threads.
  private func detailedBlock(_ lines: [SummaryLine]) -> [String] {
    let titles = ["ns/op", "", "min–max", "ops/s", "p50 ns", "p99 ns", "B/op", "B/entry"]
    let table = TextTable(
      columns: [.init(title: "BACKEND")] + titles.map { .init(title: $0, alignment: .right) },
      rows: lines.map { line in
        let summary = line.summary
        let spread = [summary.minNanosecondsPerOperation, summary.maxNanosecondsPerOperation]
        return [
          line.name, NumberText.amount(summary.medianNanosecondsPerOperation), line.symbols,
          spread.map(NumberText.amount).joined(separator: "–"),
          NumberText.rate(summary.medianOperationsPerSecond),
          NumberText.amount(line.p50Nanoseconds), NumberText.amount(line.p99Nanoseconds),
          NumberText.amount(line.allocatedBytesPerOperation),
          NumberText.amount(line.liveBytesPerEntry),
        ]
      })
    let threads = NumberText.count(lines[0].configuration.threads, "thread")
    return ["\(Self.title(of: lines[0])), \(threads)"] + table.lines
  }

  /// Returns one line per contestant, with one column per number of threads.
  private func matrixBlock(_ lines: [SummaryLine]) -> [String] {
    let threads = lines.map(\.configuration.threads).withoutRepetitions.sorted()
    var columns = [TextTable.Column(title: "BACKEND")]
    for count in threads {
      columns.append(.init(title: NumberText.count(count, "thread"), alignment: .right))
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
          NumberText.amount(line?.summary.medianNanosecondsPerOperation), line?.symbols ?? "",
        ]
      }
      return [name] + cells + [
        NumberText.amount(own.first?.allocatedBytesPerOperation),
        NumberText.amount(own.first?.liveBytesPerEntry),
      ]
    }
    return ["\(Self.title(of: lines[0])), ns/op"] + TextTable(columns: columns, rows: rows).lines
  }

  static func title(of line: SummaryLine) -> String {
    let configuration = line.configuration
    let mix =
      configuration.workload == Workload.customName ? " (\(configuration.shares.mixText))" : ""
    let roles = configuration.roles.map { " (\($0))" } ?? ""
    let driver = configuration.driver == "threads" ? "" : ", on \(configuration.driver)"
    let facts = configuration.unusualEntries.map { ", \($0)" }.joined()
    return "\(configuration.collection), \(configuration.workload)\(mix)\(roles)\(facts), "
      + "\(configuration.entriesText)\(driver)"
  }

  /// The number of sessions, and of the runs that they come from.
  private var sessions: String {
    let all = Set(lines.flatMap(\.summary.nanosecondsPerOperation.sessions))
    let runs = Set(all.map(\.run)).count
    guard all.count > 1 else { return "One session was measured." }
    // Sessions beyond the first ones measure only what is undecided.
    let counts = lines.map(\.summary.sessions)
    let range = [counts.min() ?? 0, counts.max() ?? 0].withoutRepetitions.map {
      NumberText.count($0)
    }
    return "Each series was measured in \(range.joined(separator: " to ")) sessions of "
      + "\(NumberText.count(runs, "run"))."
  }

  /// What each sample of a latency includes; empty if it is unknown.
  private var clock: [String] {
    Statistics.median(lines.compactMap(\.clockNanoseconds)).map {
      [
        "p50, p99: of sampled operations, with the reading of the clock, \(NumberText.amount($0)) ns."
      ]
    } ?? []
  }

  private var legend: [String] {
    let units =
      "ns/op: median, as one thread sees it. B/op: allocated per operation. B/entry: live per entry."
    let baseline =
      lines.contains { $0.configuration.backend == "empty-loop" }
      ? ["empty-loop: the harness around a collection that does nothing."] : []
    return Mark.legend + [sessions] + [
      "~ trials differ by more than a factor of 2. \(NumberText.missing) not measured.", units,
    ]
      + (isDetailed
        ? clock : ["Bytes are those at the fewest threads. --details shows more."])
      + baseline
  }

  /// Returns groups of lines with the same collection, workload, entries and value of `aspect`, in
  /// order.
  private static func groups(
    of lines: [SummaryLine], by aspect: (Measurement.Configuration) -> Int
  ) -> [[SummaryLine]] {
    struct Key: Hashable { let names: [String], entries: Int, aspect: Int }
    let keys = lines.map { line in
      let configuration = line.configuration
      return Key(
        names: [
          configuration.collection, configuration.workload, configuration.driver,
          configuration.roles ?? "",
        ] + configuration.unusualEntries, entries: configuration.entries,
        aspect: aspect(configuration))
    }
    let grouped = Dictionary(grouping: zip(keys, lines), by: \.0)
    return keys.withoutRepetitions.map { grouped[$0, default: []].map(\.1) }
  }
}

/// One series of a run in a table: medians over its trials, `nil` if no trial measured the figure.
struct SummaryLine: Sendable {
  let summary: Summary
  let mark: Mark
  let p50Nanoseconds: Double?
  let p99Nanoseconds: Double?
  /// The cost of reading the clock, which both include.
  let clockNanoseconds: Double?
  let allocatedBytesPerOperation: Double?
  let liveBytesPerEntry: Double?

  var configuration: Measurement.Configuration { summary.series.configuration }

  /// The marks beside the time.
  var symbols: String { mark.symbol + summary.scatterSymbol }

  /// The name of the contestant in tables.
  var name: String { summary.series.kind.name(of: configuration.backend) }

  /// Returns one line per series, in the order in which the series first appear.
  static func lines(for measurements: [Measurement]) -> [SummaryLine] {
    let summaries = Summary.summaries(of: measurements)
    let trials = Dictionary(grouping: measurements, by: Series.init)
    return zip(summaries, Mark.marks(for: summaries)).map { summary, mark in
      SummaryLine(summary, mark, trials: trials[summary.series, default: []])
    }
  }

  private init(_ summary: Summary, _ mark: Mark, trials: [Measurement]) {
    func figure(_ metric: MetricColumn) -> Double? { SessionValues(trials, metric)?.figure }
    self.summary = summary
    self.mark = mark
    p50Nanoseconds = figure(.p50)
    p99Nanoseconds = figure(.p99)
    clockNanoseconds = Statistics.median(trials.compactMap(\.latency.clockNanoseconds))
    allocatedBytesPerOperation = figure(.allocatedBytesPerOperation)
    liveBytesPerEntry = figure(.liveBytesPerEntry)
  }
}

/// All tables of rows: the summary, and those of roles.
enum Tables {
  /// Returns the tables; empty without rows.
  ///
  /// Rows of several machines, builds or commits have tables of their own, each below a line with
  /// its environment.
  static func text(of rows: [Measurement], isQuick: Bool, details: Bool) -> String {
    let environments = rows.map(\.environment).withoutRepetitions
    let groups = Dictionary(grouping: rows, by: \.environment)
    return environments.map { environment in
      let own = groups[environment, default: []]
      let heading = environments.count > 1 ? ["# \(environment.sentence)"] : []
      let tables = [
        SummaryTable(of: own, isQuick: isQuick, details: details).text, RolesTable(of: own).text,
        OpenLoopRolesTable(of: own).text,
      ]
      return (heading + tables).filter { !$0.isEmpty }.joined(separator: "\n\n")
    }.joined(separator: "\n\n")
  }
}

/// The order of `list`, which all tables use.
enum CatalogOrder {
  /// Returns lines in order of collection, workload and entries; then of threads and contestant, or
  /// of contestant and threads; then of load.
  static func sorted(_ lines: [SummaryLine], threadsFirst: Bool) -> [SummaryLine] {
    let places = lines.map { place(of: $0.configuration, threadsFirst: threadsFirst) }
    return zip(places, lines).sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
  }

  /// Returns rows in order of collection, workload and entries, then of threads and contestant.
  static func sorted(_ rows: [Measurement]) -> [Measurement] {
    let configurations = Set(rows.map(\.configuration))
    let places = Dictionary(
      uniqueKeysWithValues: configurations.map { ($0, place(of: $0, threadsFirst: true)) })
    return rows.enumerated().sorted { one, other in
      // The offset keeps the order of equal rows.
      (places[one.element.configuration, default: []] + [one.offset])
        .lexicographicallyPrecedes(
          places[other.element.configuration, default: []] + [other.offset])
    }.map(\.element)
  }

  /// Returns the sort key; unknown names come last.
  private static func place(
    of configuration: Measurement.Configuration, threadsFirst: Bool
  ) -> [Int] {
    let collection = CollectionKind(rawValue: configuration.collection)
    let workloads = collection.map { Workload.all(for: $0.subject).map(\.name) } ?? []
    let contestants = collection.map { Contestant.all(for: $0).map(\.name) } ?? []
    let contestant = contestants.firstIndex(of: configuration.backend) ?? .max
    return [
      collection.flatMap { CollectionKind.allCases.firstIndex(of: $0) } ?? .max,
      workloads.firstIndex(of: configuration.workload) ?? .max,
      configuration.unusualEntries.count, configuration.entries,
      threadsFirst ? configuration.threads : contestant,
      threadsFirst ? contestant : configuration.threads,
      configuration.pace.loadPercent ?? 0,
      // A damaged file may have a target that does not fit into an integer.
      Int(min(configuration.pace.targetOperationsPerSecond ?? 0, 1e15)),
    ]
  }
}

extension Measurement.Configuration {
  /// The parts of a title for keys and values that are not integers, drawn uniformly.
  var unusualEntries: [String] {
    guard let keyType else { return [] }
    let keys = keyType == "Int" ? nil : "keys \(keyType)"
    let values = valueType == "Int" ? nil : valueType.map { "values \($0)" }
    let distribution = keyDistribution == "uniform" ? nil : keyDistribution
    return [keys, values, distribution].compactMap(\.self)
  }
}

/// A row of results; Foundation has a type of the same name.
typealias Measurement = Measurements.Measurement
