/// What a bootstrap of the universal scalability law draws again: processes where there are many, else
/// trials.
///
/// The trials of one process share where its memory lies and what the machine was doing, at every number of
/// threads. So a process is drawn with all of them, and what processes differ by is in the intervals. Where
/// there are few, or one lacks a number of threads that another has, the trials of each number of threads
/// are drawn, as if processes did not differ.
struct ScalabilityUnits {
  let areProcesses: Bool
  /// Each is drawn from as often as it has units.
  private let strata: [[LeastSquares]]

  init(of points: [UniversalScalability.Point]) {
    if let processes = Self.processes(of: points) {
      areProcesses = true
      strata = [processes.map { LeastSquares(of: $0) }]
    } else {
      areProcesses = false
      strata = Dictionary(grouping: points, by: \.threads).sorted { $0.key < $1.key }
        .map { $0.value.map { LeastSquares(of: [$0]) } }
    }
  }

  /// The sums of one sample.
  func drawn(using generator: inout some RandomNumberGenerator) -> LeastSquares {
    var sums = LeastSquares(of: [])
    for units in strata {
      for _ in units { sums.add(units[Int.random(in: units.indices, using: &generator)]) }
    }
    return sums
  }

  /// `nil` where they cannot be drawn.
  private static func processes(
    of points: [UniversalScalability.Point]
  ) -> [[UniversalScalability.Point]]? {
    let processes = Dictionary(grouping: points.filter { $0.process != nil }, by: \.process)
    let isComplete = processes.values.reduce(0) { $0 + $1.count } == points.count
    let counts = Set(processes.values.map { Set($0.map(\.threads)) })
    guard isComplete, counts.count == 1, processes.count >= Bootstrap.valuesNeeded else {
      return nil
    }
    // In an order that does not change from run to run.
    let keys = processes.keys.compactMap(\.self)
      .sorted { ($0.run, $0.fork) < ($1.run, $1.fork) }
    return keys.compactMap { processes[$0] }
  }
}
