import Measurements

/// What the byte phase came to.
struct ByteReport: Sendable {
  var bytes = Measurement.Bytes()
  /// What each worker's own thread allocated and freed; `nil` where a worker is to have none.
  var workers: [ThreadBytes?] = []
  /// How many operations each worker made.
  var operations: [Int] = []

  /// What these workers' threads allocated and freed in an operation of theirs; `nil` if it is not known of
  /// one of them.
  func perOperation(ofWorkers indices: Range<Int>) -> (allocated: Double, freed: Double)? {
    guard indices.upperBound <= workers.count else { return nil }
    let counted = workers[indices].compactMap(\.self)
    let done = Double(operations[indices].reduce(0, +))
    guard counted.count == indices.count, done > 0 else { return nil }
    let sum = counted.reduce(ThreadBytes(allocated: 0, freed: 0), +)
    return (Double(sum.allocated) / done, Double(sum.freed) / done)
  }
}
