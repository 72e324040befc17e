import Foundation
import struct Measurements.Measurement

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

/// A moment in UTC, to the second.
package struct UTCTime: Equatable, Sendable {
  package let secondsSince1970: Int

  package init(secondsSince1970: Int) {
    self.secondsSince1970 = secondsSince1970
  }

  package static var now: UTCTime { UTCTime(secondsSince1970: time(nil)) }

  /// ISO 8601, as in rows: `2026-11-21T11:57:00Z`.
  package var extended: String {
    let parts = parts
    return "\(parts.date.joined(separator: "-"))T\(parts.time.joined(separator: ":"))Z"
  }

  /// ISO 8601 without separators, as in file names: `20261121T115700Z`.
  package var compact: String {
    let parts = parts
    return "\(parts.date.joined())T\(parts.time.joined())Z"
  }

  private var parts: (date: [String], time: [String]) {
    var seconds = time_t(secondsSince1970)
    var moment = tm()
    gmtime_r(&seconds, &moment)
    let date = [Int(moment.tm_year) + 1900, Int(moment.tm_mon) + 1, Int(moment.tm_mday)]
    let time = [Int(moment.tm_hour), Int(moment.tm_min), Int(moment.tm_sec)]
    return (date.map(Self.padded), time.map(Self.padded))
  }

  private static func padded(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
