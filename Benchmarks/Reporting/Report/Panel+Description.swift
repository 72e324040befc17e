import Charts
import Measurements

extension Measurement.Configuration {
  /// What a panel's contestants have in common besides collection and workload, in words.
  var commonFacts: [String] {
    let keys = keyType.map { type in
      keyDistribution.map { "keys \(type), \($0)" } ?? "keys \(type)"
    }
    let facts = [
      roles.map { "roles \($0)" } ?? shares.text, "\(NumberText.count(size)) entries", keys,
      valueType.map { "values \($0)" },
      "workers on \(driver)", pace.mode == .open ? "open loop" : nil,
    ]
    return facts.map { $0 ?? "" }
  }
}

extension Measurement.Shares {
  /// The operation mix, without what it has nothing of.
  fileprivate var text: String {
    let shares = [
      ("reads", read), ("inserts", insert), ("updates", update), ("removals", remove),
      ("iterations", iterate),
    ]
    return shares.filter { $0.1 > 0 }.map { "\($0.1) % \($0.0)" }.joined(separator: ", ")
  }
}

extension Panel {
  /// The workload in words.
  var description: String {
    configuration.commonFacts.filter { !$0.isEmpty }.joined(separator: " · ")
  }

  /// Those facts of a configuration that others of the same workload do not share.
  static func distinction(
    of configuration: Measurement.Configuration, among all: [Measurement.Configuration]
  ) -> String {
    let alike = all.filter {
      $0.collection == configuration.collection && $0.workload == configuration.workload
    }
    return configuration.commonFacts.enumerated().filter { place, fact in
      !fact.isEmpty && alike.contains { $0.commonFacts[place] != fact }
    }.map(\.element).joined(separator: ", ")
  }
}
