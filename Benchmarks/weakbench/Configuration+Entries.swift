import Measurements

extension Measurement.Configuration {
  /// What a table's title says of keys and values where they are not integers, drawn uniformly.
  var unusualEntries: [String] {
    guard let keyType else { return [] }
    let keys = keyType == "Int" ? nil : "keys \(keyType)"
    let values = valueType == "Int" ? nil : valueType.map { "values \($0)" }
    let distribution = keyDistribution == "uniform" ? nil : keyDistribution
    return [keys, values, distribution].compactMap(\.self)
  }
}
