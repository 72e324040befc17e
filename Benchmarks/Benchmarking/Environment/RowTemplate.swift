import Measurements

/// What all rows of a run have in common.
package struct RowTemplate: Sendable {
  package let run: String
  package let environment: Measurement.Environment
  /// Of the plan that the trials are of, and its part, if it is in parts.
  package var plan: String?
  package var shard: String?

  package init(
    run: String, environment: Measurement.Environment, plan: String? = nil, shard: String? = nil
  ) {
    self.run = run
    self.environment = environment
    self.plan = plan
    self.shard = shard
  }

  /// The `number`th row of the run, of a trial that ended at `time`.
  package func measurement(
    number: Int, _ trial: TrialSpecification, _ result: TrialResult, at time: UTCTime
  ) -> Measurement {
    var measurement = Measurement(
      identity: Measurement.Identity(
        row: "\(run)-\(number)", kind: trial.contestant.kind, run: run, timestamp: time.extended,
        plan: plan, shard: shard),
      environment: environment, configuration: trial.configuration, trial: trial.trial,
      throughput: result.throughput, latency: result.latency, contention: result.contention,
      bytes: result.bytes, openLoop: result.openLoop)
    measurement.roles = result.roles
    return measurement
  }

  /// Unique, as two runs may start in one second: `run-20261121T115700Z-3f2a`.
  package static func runName(
    at time: UTCTime, using generator: inout some RandomNumberGenerator
  ) -> String {
    let digits = String(UInt16.random(in: .min ... .max, using: &generator), radix: 16)
    return "run-\(time.compact)-\(String(repeating: "0", count: 4 - digits.count))\(digits)"
  }
}
