import BenchmarkCommands
import Benchmarking
import Foundation
import Measurements
import Reporting
import TerminalIO

/// The validated options of `compare`; no file is read yet.
struct ComparePlan {
  enum Format: String, CaseIterable { case text, csv, json, markdown }

  let source: CompareSource
  let cells: CellOptions
  let terms: ComparisonTerms
  let format: Format
  let output: OutputDestination
  let saveBaseline: BaselineName?
  let allowsUndecided: Bool

  init(_ options: CompareOptions) throws(CommandError) {
    source = try CompareSource(options)
    cells = options.cells
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
      terms.rule.margin = try OptionText.fraction(text, option: "--threshold")
    }
    if let text = options.noiseFloor {
      terms.rule.assumedNoise = try OptionText.fraction(text, option: "--noise-floor")
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
  case savingOnly(file: String)

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
      self = .savingOnly(file: files[0])
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
    case .backends(let file, _), .savingOnly(let file): file
    }
  }

  /// The files of rows, the candidate's first.
  var files: [String] {
    switch self {
    case .files(let base, let candidate): [candidate, base]
    case .baseline(let name, let candidate): [candidate, name.path]
    case .backends(let file, _), .savingOnly(let file): [file]
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
    case .savingOnly(let file):
      ComparisonNames(base: InputFile.name(of: file), candidate: InputFile.name(of: file))
    }
  }
}

/// The name of a saved baseline: a file of rows in `.weakbench/` of the current directory.
struct BaselineName: Equatable {
  let name: String

  static let folder = ".weakbench"

  /// Checks a name: it must not lead out of the folder, or be hidden in it.
  init(_ text: String, option: String) throws(CommandError) {
    let isPlain = text.allSatisfy { $0.isASCIIAlphanumeric || "-_.".contains($0) }
    guard isPlain, let first = text.first, first.isASCIIAlphanumeric, text.count <= 100
    else {
      throw .usage(
        "\(option) \(text.quotedOnOneLine) (allowed: letters, digits, and after the first one "
          + "- _ and .)")
    }
    name = text
  }

  var path: String { "\(Self.folder)/\(name).csv" }

  /// The names of the saved baselines, in order.
  static var saved: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".csv") }.map { String($0.dropLast(4)) }.sorted()
  }

  /// Throws if no baseline of this name was saved.
  func check() throws(CommandError) {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    let saved = Self.saved
    guard !saved.isEmpty else {
      throw .usage(
        "\(Self.folder)/ in the current directory has no baseline "
          + "(allowed: one that --save-baseline saved)")
    }
    throw .unknown("baseline", name, allowed: saved)
  }

  /// Copies the file, including columns unknown to this version; replaces an older baseline of this
  /// name atomically.
  func save(fileAt path: String) throws(CommandError) {
    let data = try ResultsFile.contents(of: path)
    do {
      try FileManager.default.createDirectory(
        atPath: Self.folder, withIntermediateDirectories: true)
      try data.write(to: URL(fileURLWithPath: self.path), options: .atomic)
    } catch {
      throw .failed("the baseline \(self.path) cannot be saved: \(error.localizedDescription)")
    }
  }
}
