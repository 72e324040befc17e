@testable import Benchmarking
import Measurements

@testable import weakbench

/// Rows that a plan would have, made without a trial.
struct LongRunExamples {
  static let environment = EnvironmentProbe.environment(machine: "test")

  static func rows(
    _ line: String, run: String = "run-1",
    environment: Measurement.Environment = Self.environment
  ) throws -> [Measurement] {
    let plan = try RunPlan.of(line)
    let template = RowTemplate(
      run: run, environment: environment,
      plan: PlanName.text(of: plan.whole.map(PlannedRow.init), in: environment),
      shard: plan.shard?.name)
    return plan.trials.enumerated().map { index, trial in
      template.measurement(
        number: index + 1, trial, .example, at: UTCTime(secondsSince1970: 1_795_262_220))
    }
  }
}
