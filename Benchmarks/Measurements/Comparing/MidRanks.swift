/// The places of the values of two samples in their common order, twice as large as usual.
///
/// Equal values share the mean of their places; doubled, all are whole numbers.
struct MidRanks {
  /// Of the values of the first sample, in its order.
  let first: [Int]
  /// Of the values of the second sample, in its order.
  let second: [Int]
  /// How many values share a place, for each place that is shared or not.
  let tieSizes: [Int]

  init(_ first: [Double], _ second: [Double]) {
    let sorted = (first + second).sorted()
    var places: [Double: Int] = [:]
    var tieSizes: [Int] = []
    var start = 0
    while start < sorted.count {
      let end = sorted[start...].firstIndex { $0 != sorted[start] } ?? sorted.count
      // The places from start + 1 to end: twice their mean.
      places[sorted[start]] = start + 1 + end
      tieSizes.append(end - start)
      start = end
    }
    self.first = first.map { places[$0, default: 0] }
    self.second = second.map { places[$0, default: 0] }
    self.tieSizes = tieSizes
  }
}
