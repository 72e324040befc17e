import BenchmarkCommands
import Measurements
import Reporting
import TerminalIO

/// The validated options of `compare`; no file is read yet.
struct ComparePlan {
  enum Format: String, CaseIterable { case text, csv, json, markdown }

  let source: CompareSource
  let filters: [RowFilter]
  let terms: ComparisonTerms
  let format: Format
  let output: OutputDestination
  let saveBaseline: BaselineName?
  let allowsUndecided: Bool

  init(_ options: CompareOptions) throws(CommandError) {
    source = try CompareSource(options)
    var filters: [RowFilter] = []
    for text in options.filter { filters.append(try RowFilter(text)) }
    self.filters = filters
    terms = try Self.terms(options)
    guard let format = Format(rawValue: options.format) else {
      throw .unknown("format", options.format, allowed: Format.allCases.map(\.rawValue))
    }
    self.format = format
    output = options.output.map { OutputDestination(replacing: $0) } ?? .standardOutput
    try output.check()
    try output.check(isNoneOf: ResultsFile.withSidecars(source.files))
    var saved: BaselineName?
    if let name = options.saveBaseline { saved = try BaselineName(name, option: "--save-baseline") }
    saveBaseline = saved
    allowsUndecided = options.allowUndecided
    if case .baseline(let name, _) = source { try name.check() }
  }

  private static func terms(_ options: CompareOptions) throws(CommandError) -> ComparisonTerms {
    var terms = ComparisonTerms()
    if let text = options.metric {
      guard let metric = MetricColumn(rawValue: text) else {
        throw .unknown("metric", text, allowed: MetricColumn.allCases.map(\.rawValue))
      }
      terms.metric = metric
    }
    if let text = options.threshold {
      terms.rule.margin = try OptionText.part(text, option: "--threshold")
    }
    if let text = options.noiseFloor {
      terms.rule.assumedNoise = try OptionText.part(text, option: "--noise-floor")
    }
    if let text = options.allowDifferent {
      terms.allowedDifferences = try aspects(text)
    }
    return terms
  }

  private static func aspects(_ text: String) throws(CommandError) -> Set<Aspect> {
    let allowed = Aspect.allCases.map(\.rawValue)
    var aspects: Set<Aspect> = []
    for name in try OptionText.names(in: text, option: "--allow-different", allowed: allowed) {
      guard let aspect = Aspect(rawValue: name) else {
        throw .unknown("difference", name, allowed: allowed)
      }
      aspects.insert(aspect)
    }
    return aspects
  }
}

/// The rows to compare.
enum CompareSource: Equatable {
  /// Two files.
  case files(base: String, candidate: String)
  /// A saved baseline and a file.
  case baseline(BaselineName, candidate: String)
  /// The backends in one file.
  case backends(of: String, base: String)
  /// Nothing to compare, only a file to save.
  case onlySaved(file: String)

  init(_ options: CompareOptions) throws(CommandError) {
    if let by = options.by, by != "backend" {
      throw .unknown("--by", by, allowed: ["backend"])
    }
    guard options.base == nil || options.by != nil else {
      throw .usage("--base needs --by (allowed: --by backend --base NAME)")
    }
    let files = options.files
    switch (files.count, options.by, options.baseline) {
    case (2, nil, nil):
      self = .files(base: files[0], candidate: files[1])
    case (1, nil, let name?):
      self = .baseline(try BaselineName(name, option: "--baseline"), candidate: files[0])
    case (1, _?, nil) where options.saveBaseline == nil:
      self = .backends(of: files[0], base: options.base ?? "mutex")
    case (1, nil, nil) where options.saveBaseline != nil:
      self = .onlySaved(file: files[0])
    default:
      throw .usage(
        "compare needs two files, or one with --by backend, --baseline or --save-baseline; got "
          + "\(files.count) (allowed: BASE CANDIDATE; "
          + "--baseline NAME CANDIDATE; FILE --by backend; FILE --save-baseline NAME)")
    }
  }

  /// The file that `--save-baseline` saves.
  var candidate: String {
    switch self {
    case .files(_, let candidate), .baseline(_, let candidate): candidate
    case .backends(let file, _), .onlySaved(let file): file
    }
  }

  /// The files of rows, the candidate's first.
  var files: [String] {
    switch self {
    case .files(let base, let candidate): [candidate, base]
    case .baseline(let name, let candidate): [candidate, name.path]
    case .backends(let file, _), .onlySaved(let file): [file]
    }
  }

  var names: ComparisonNames {
    switch self {
    case .files(let base, let candidate):
      ComparisonNames(base: InputFile.name(of: base), candidate: InputFile.name(of: candidate))
    case .baseline(let name, let candidate):
      ComparisonNames(base: "baseline \(name.name)", candidate: InputFile.name(of: candidate))
    case .backends(let file, let base):
      ComparisonNames(base: base, candidate: InputFile.name(of: file))
    case .onlySaved(let file):
      ComparisonNames(base: InputFile.name(of: file), candidate: InputFile.name(of: file))
    }
  }
}

/// A filter that selects rows by the text in a column.
struct RowFilter: Equatable {
  let column: String
  let text: String

  /// Parses the value of `--filter`, such as `threads=8`.
  init(_ typed: String) throws(CommandError) {
    let parts = typed.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw .usage("--filter \(typed.quotedOnOneLine) (allowed: column=text, such as threads=8)")
    }
    column = String(parts[0])
    text = String(parts[1])
    guard MeasurementCSV.columnNames.contains(column) else {
      throw .unknown("column", column, allowed: MeasurementCSV.columnNames)
    }
  }

  func includes(_ row: Measurement) -> Bool {
    MeasurementCSV.text(ofColumn: column, in: row) == text
  }
}

extension [RowFilter] {
  /// Returns the rows that match one filter of each filtered column.
  func rows(of rows: [Measurement]) -> [Measurement] {
    let byColumn = Dictionary(grouping: self, by: \.column).values
    return rows.filter { row in
      byColumn.allSatisfy { filters in filters.contains { $0.includes(row) } }
    }
  }
}
