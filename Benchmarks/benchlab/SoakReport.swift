import TerminalIO
import Benchmarking
import Charts
import Measurements
import Reporting
import WeakCollections
import Workloads

/// The series of a soak as a table for people and as CSV.
struct SoakReport {
  let specifications: [TrialSpecification]
  let series: [SoakSeries]

  init(_ specifications: [TrialSpecification], _ series: [SoakSeries]) {
    self.specifications = specifications
    self.series = series
  }

  /// As the worst of the verdicts.
  var status: ExitStatus {
    let verdicts = Set(series.map(\.verdict))
    if verdicts.contains(.growing) { return .found }
    return verdicts.contains(.undecided) ? .undecided : .fine
  }

  var table: String {
    var table = TextTable(columns: [
      .init(title: "COLLECTION"), .init(title: "BACKEND"), .init(title: "WORKLOAD"),
      .init(title: "OPERATIONS", alignment: .right), .init(title: "SAMPLES", alignment: .right),
      .init(title: "FIRST", alignment: .right), .init(title: "LAST", alignment: .right),
      .init(title: "BYTES/OP", alignment: .right), .init(title: "99 % INTERVAL"),
      .init(title: "LIVE BYTES"),
    ])
    table.rows = zip(specifications, series).map(Self.row)
    return table.lines.joined(separator: "\n")
  }

  private static func row(_ specification: TrialSpecification, _ series: SoakSeries) -> [String] {
    let slope = series.bytesPerOperation
    let interval = slope.map {
      "\(scientific($0.interval.lowerBound)) … \(scientific($0.interval.upperBound))"
    }
    return [
      specification.contestant.collection.rawValue, specification.contestant.name,
      specification.workload.name, NumberText.rate(Double(series.samples.last?.operations ?? 0)),
      NumberText.count(series.counted.count), bytes(series.counted.first),
      bytes(series.counted.last), slope.map { scientific($0.slope) } ?? NumberText.missing,
      interval ?? NumberText.missing, series.verdict.rawValue,
    ]
  }

  /// One line for each sample, in the order of the table.
  var csv: String {
    let lines = zip(specifications, series).flatMap { specification, series in
      series.samples.map { sample in
        "\(specification.contestant.collection.rawValue),\(specification.contestant.name),"
          + "\(specification.workload.name),\(specification.threads),\(specification.size),"
          + "\(specification.seed),\(sample.seconds),\(sample.operations),\(sample.liveBytes)\n"
      }
    }
    return "collection,backend,workload,threads,size,seed,seconds,operations,live_bytes\n"
      + lines.joined()
  }

  private static func bytes(_ sample: SoakSeries.Sample?) -> String {
    guard let bytes = sample?.liveBytes else { return NumberText.missing }
    return (bytes < 0 ? "-" : "") + NumberText.count(abs(bytes))
  }

  /// Two digits and a power of ten: slopes are small, and never mind how small.
  private static func scientific(_ value: Double) -> String {
    guard value != 0 else { return "0" }
    var mantissa = abs(value)
    var exponent = 0
    while mantissa >= 9.95 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
    while mantissa < 0.995 { (mantissa, exponent) = (mantissa * 10, exponent - 1) }
    let digits = Int((mantissa * 10).rounded())
    let sign = value < 0 ? "-" : ""
    return "\(sign)\(digits / 10).\(digits % 10)e\(exponent)"
  }
}
