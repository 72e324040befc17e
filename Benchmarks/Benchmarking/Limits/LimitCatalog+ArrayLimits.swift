import Measurements

extension LimitCatalog {
  static var weakArrayLimits: [Limit] {
    ["forEach", "all"].flatMap(scanLimits) + [appendLimit]
      + ["forEach", "append"].map { operation in
        Limit(
          "weak-array", "\(operation): two threads on two arrays over one, throughput",
          secondThread(of: subject, operation), must: .atLeast(1.9))
      } + [
        Limit(
          "weak-array", "a loop of tryRetain, release: two threads over one, throughput",
          secondThread(of: bareLoop, "forEach")), trackingLimit,
      ]
  }

  private static func secondThread(of row: String, _ operation: String) -> Quantity {
    .ratio(
      .figure(.alone(row, "\(operation) ×1")), to: .figure(.alone(row, "\(operation) ×2")))
  }

  private static func scanLimits(_ operation: String) -> [Limit] {
    let own = Quantity.figure(.scan(subject, operation))
    let addition = operation == "all" ? " and an array's append" : ""
    return [
      Limit(
        "weak-array", "\(operation): \(subject) over a loop of tryRetain, release\(addition), time",
        .ratio(own, to: .figure(.scan(bareLoop, operation))), must: .atMost(1.3)),
      Limit(
        "weak-array", "\(operation): \(subject) as fast as the published array, times",
        .ratio(.figure(.scan(published, operation)), to: own), must: .atLeast(4)),
    ]
  }

  private static var appendLimit: Limit {
    Limit(
      "weak-array", "append: \(subject), growth included, ns",
      .figure(.alone(subject, "append ×1")), must: .atMost(40))
  }

  private static var trackingLimit: Limit {
    Limit(
      "tracked", "retain + release: an object in a \(subject) array over one in none, time",
      .ratio(.figure(.object(subject)), to: .figure(.object("untracked"))), must: .atMost(1.1))
  }

  static var byteLimits: [Limit] {
    let own = { (column: String) in Quantity.figure(.bytes(subject, column)) }
    return [
      Limit(
        "bytes", "10,000 live elements: bytes an element", own(bytesPerElement),
        must: .atMost(12)),
      Limit(
        "bytes", "10,000 live elements: bytes on an object, with the array gone",
        own(bytesOnObject), must: .atMost(0)),
      Limit(
        "bytes", "bytes after 1,000,000 appends of short-lived objects over the live set's",
        .ratio(own(bytesAfterChurn), to: own(bytesLive)), must: .atMost(2)),
      Limit(
        "bytes", "100,000 pairs of Int: bytes a pair over Swift.Dictionary's",
        .ratio(own(bytesPerPair), to: .figure(.bytes(unshared, bytesPerPair))),
        must: .atMost(1.5)),
    ]
  }
}
