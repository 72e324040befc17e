import Measurements

/// By which rules rows are compared.
package struct ComparisonTerms: Hashable, Sendable {
  package var metric = MetricColumn.nanosecondsPerOperation
  /// What differs by no more is the same.
  package var threshold = Threshold(0.05)
  /// How probable one false "better" or "worse" among all rows may be.
  package var significance = 0.05
  package var bootstrap = Bootstrap()
  /// What somebody says that an A/A run of this machine showed, whatever the next one says.
  package var measuredNoiseFloor: Double?
  /// What an A/A run of this machine showed; without it the rows are asked.
  package var measuredNoise: MachineNoise?
  /// What may differ between the sides, and within one.
  package var allowedDifferences: Set<Aspect> = []

  package init() {}

  /// How many trials a side needs for a verdict other than "same", among so many rows.
  package func trialsNeeded(forRows rows: Int) -> Int {
    var trials = Bootstrap.valuesNeeded
    while MannWhitneyTest.leastPValue(trials, trials) * Double(rows) > significance { trials += 1 }
    return trials
  }
}
