import Benchmarking
import Measurements

/// What all rows of a run have in common.
struct RowTemplate: Sendable {
  let run: String
  let environment: Measurement.Environment

  /// The `number`th row of the run, of a trial that ended at `time`.
  func measurement(
    number: Int, _ trial: TrialSpecification, _ result: TrialResult, at time: UTCTime
  ) -> Measurement {
    Measurement(
      identity: Measurement.Identity(
        row: "\(run)-\(number)", kind: trial.contestant.kind, run: run, timestamp: time.extended),
      environment: environment, configuration: trial.configuration, trial: trial.trial,
      throughput: result.throughput, latency: result.latency, contention: result.contention,
      bytes: result.bytes)
  }

  /// Unique, as two runs may start in one second: `run-20261121T115700Z-3f2a`.
  static func runName(at time: UTCTime, using generator: inout some RandomNumberGenerator) -> String
  {
    let digits = String(UInt16.random(in: .min ... .max, using: &generator), radix: 16)
    return "run-\(time.compact)-\(String(repeating: "0", count: 4 - digits.count))\(digits)"
  }
}
