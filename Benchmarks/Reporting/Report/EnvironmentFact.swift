import Charts
import Measurements

/// One thing about where and with what rows were measured.
struct EnvironmentFact: Hashable, Sendable {
  let name: String
  /// Nil if it is not known.
  let value: String?

  /// As part of a sentence.
  var text: String { "\(name) \(value ?? NumberText.missing)" }

  static func all(of environment: Measurement.Environment) -> [EnvironmentFact] {
    let host = environment.hostCores.map { $0 == environment.cores ? "" : " of \($0)" } ?? ""
    let facts: [(String, String?)] = [
      ("machine", environment.machine), ("processor", environment.cpu),
      ("cores", "\(environment.cores)\(host)"), ("system", environment.os),
      ("kernel", environment.kernel), ("compiler", environment.swift),
      ("mutex", environment.mutexFlavor), ("allocator", environment.allocator),
      ("build", environment.buildConfiguration), ("commit", environment.commit),
    ]
    return facts.map(EnvironmentFact.init)
  }
}

extension Measurement.Environment {
  /// In one line, for a chart that stands alone.
  var summary: String {
    [machine, swift, allocator, commit].compactMap { $0 }.joined(separator: " · ")
  }
}
