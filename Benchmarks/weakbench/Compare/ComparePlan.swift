import TerminalIO
import Measurements
import Reporting

/// What `compare` will do, once every option is known to be allowed; nothing has been read yet.
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
      terms.threshold = Threshold(try OptionText.part(text, option: "--threshold"))
    }
    if let text = options.noiseFloor {
      terms.measuredNoiseFloor = try OptionText.part(text, option: "--noise-floor")
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
