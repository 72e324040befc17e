import Measurements
import Workloads

extension LimitCatalog {
  /// What must be reached and what is aimed at, in the order in which it is shown.
  public static var limits: [Limit] {
    harnessLimits + dictionaryRows.flatMap(speedLimits) + oversubscriptionLimits + floorLimits
      + classValueLimits + weakArrayLimits + byteLimits + monitorLimits
  }

  /// The names, each once.
  public static var names: [String] {
    var names: [String] = []
    for limit in limits where !names.contains(limit.name) { names.append(limit.name) }
    return names
  }

  private static var harnessLimits: [Limit] {
    [
      Limit(
        "harness", "the benchmark's loop over one written by hand, ns more",
        .difference(.figure(.harness("generic")), less: .figure(.harness("by hand"))),
        must: .atMost(1))
    ]
  }

  private static func speedLimits(_ row: DictionaryRow) -> [Limit] {
    let isWriting = row.limit == "writes-50"
    let references: [(String, must: Bound?, aim: Bound?)] = [
      ("liburcu", isWriting ? nil : .above(1), nil), ("tbb", .above(1), nil),
      (adaptive, isWriting ? .above(1) : .atLeast(2), nil), (jdk, nil, .atLeast(1)),
    ]
    return references.map { reference, must, aim in
      Limit(
        row.limit, "\(row.workload.name): \(subject) as fast as \(reference), times",
        .ratio(
          .figure(.dictionary(reference, row.workload.name)),
          to: .figure(.dictionary(subject, row.workload.name))),
        must: must, aim: aim)
    }
  }

  private static var oversubscriptionLimits: [Limit] {
    let twice = { (row: String) in Quantity.figure(.threads(row, readHeavyTwice)) }
    let over = { (row: String) in Quantity.figure(.threads(row, readHeavyOver)) }
    return [
      Limit(
        "oversubscription", "read-heavy: \(subject) on 8 threads, throughput over that on 2",
        .ratio(twice(subject), to: over(subject)), must: .atLeast(0.9), aim: .atLeast(1)),
      Limit(
        "oversubscription", "read-heavy: \(adaptive) on 8 threads, cost over that on 2",
        .ratio(over(adaptive), to: twice(adaptive)), must: .atMost(2)),
    ]
  }

  private static var floorLimits: [Limit] {
    let once = { (row: String) in Quantity.figure(.threads(row, readOnce)) }
    let scaling = { (row: String) in
      Quantity.ratio(once(row), to: .figure(.dictionary(row, "read-only")))
    }
    return [
      Limit(
        "floor", "read-only: \(subject) on one thread over an unshared Dictionary, time",
        .ratio(once(subject), to: once(unshared)), must: .atMost(1)),
      Limit(
        "floor", "read-only: two threads of \(subject) scale as two private Dictionaries, times",
        .ratio(scaling(subject), to: scaling(unshared)), must: .atLeast(0.95)),
    ]
  }

  private static var classValueLimits: [Limit] {
    let values = { (column: String) in Quantity.figure(.classValue(subject, column)) }
    return [
      Limit(
        "class-values", "withValue: two threads on one key over one, throughput",
        .ratio(values("withValue ×1"), to: values("withValue ×2")), must: .atLeast(1.8)),
      Limit(
        "class-values", "value(forKey:), a copy: two threads on one key over one, throughput",
        .ratio(values("value ×1"), to: values("value ×2"))),
    ]
  }
}
