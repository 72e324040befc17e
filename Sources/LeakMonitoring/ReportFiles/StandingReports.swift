/// The reports of one leak that still hold, each by the number of instances above what is right.
struct StandingReports: Sendable, Equatable {
  /// How often one of so many instances.
  private var counts: [Int: Int] = [:]
  /// How many reports.
  private(set) var count = 0
  /// The most instances that one of them is of; 0 if there is none.
  private(set) var greatest = 0

  mutating func add(_ excess: Int) {
    counts[excess, default: 0] += 1
    count += 1
    greatest = max(greatest, excess)
  }

  /// One that was reported before the file began is not taken from the others.
  ///
  /// - Complexity: amortised O(1) in the instances that are made: `greatest` falls by no more than it rose.
  ///   At most O(*n*) in the different numbers that were reported.
  mutating func remove(_ excess: Int) {
    guard let held = counts[excess] else { return }
    counts[excess] = held > 1 ? held - 1 : nil
    count -= 1
    if held == 1, excess == greatest { lowerGreatest() }
  }

  private mutating func lowerGreatest() {
    // One by one, as instances come; but a jump down costs no more than a look at all.
    let below = stride(from: greatest - 1, to: max(0, greatest - 1 - counts.count), by: -1)
    greatest = below.first { counts[$0] != nil } ?? counts.keys.max() ?? 0
  }
}
