/// What of the variance of trials lies within the processes that made them, and what between.
///
/// The analysis of variance for one random effect, with as many trials a process as there are: Searle,
/// Casella and McCulloch, "Variance Components", 1992, 3.6. Its estimate of what lies between may come out below
/// nothing, and is nothing then, as is usual.
public struct VarianceComponents: Hashable, Sendable {
  /// Of trials around the mean of their process.
  public let within: Double
  /// Of the processes' true means around theirs.
  public let between: Double

  /// `nil` if the trials do not tell the two apart: with one process, or one trial in each.
  ///
  /// - Precondition: no process is without trials.
  public init?(ofProcesses processes: [[Double]]) {
    let count = Double(processes.reduce(0) { $0 + $1.count })
    let groups = Double(processes.count)
    guard groups > 1, count > groups else { return nil }
    precondition(processes.allSatisfy { !$0.isEmpty }, "a process made at least one trial")
    let means = processes.map { $0.reduce(0, +) / Double($0.count) }
    let mean = processes.joined().reduce(0, +) / count
    var (insideSquares, outsideSquares, squaredCounts) = (0.0, 0.0, 0.0)
    for (values, own) in zip(processes, means) {
      insideSquares += values.reduce(0) { $0 + ($1 - own) * ($1 - own) }
      outsideSquares += Double(values.count) * (own - mean) * (own - mean)
      squaredCounts += Double(values.count * values.count)
    }
    within = insideSquares / (count - groups)
    // How many trials a process has, as far as the mean square between is concerned.
    let size = (count - squaredCounts / count) / (groups - 1)
    between = max(0, (outsideSquares / (groups - 1) - within) / size)
  }
}
