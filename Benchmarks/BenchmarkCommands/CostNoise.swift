import TerminalIO
import Choosing
import Measurements
import Reporting

/// Below which difference of two medians costs are noise: as given, else as an A/A run beside the rows says of so
/// many threads and trials, else the standard.
package enum CostNoise {
  case given(Double)
  case measured(MachineNoise, MachineNoise.Level.Side)
  case standard

  /// - Parameter share: the part of a series' trials that a median is of.
  package init(
    _ option: NoiseFloorOption, beside files: [String], _ rows: [Measurements.Measurement],
    of objective: CostObjective = .throughput, share: Double = 1
  ) throws(CommandError) {
    if let part = try option.part() {
      self = .given(part)
    } else if let noise = try NoiseFile.noise(beside: files, for: rows, objective.metric),
      let side = MachineNoise.Level.Side(leastOf: rows, objective.metric)
    {
      self = .measured(noise, side.part(share))
    } else {
      self = .standard
    }
  }

  package func floor(threads: Int) -> Double {
    switch self {
    case .given(let part): part
    case .measured(let noise, let side): noise.level(forThreads: threads).floor(side, side)
    case .standard: Chooser.standardNoiseFloor
    }
  }

  /// Where the floor comes from, for people.
  package var origin: String {
    switch self {
    case .given: "given"
    case .measured: "measured by the A/A run beside the rows"
    case .standard: "the standard one, of a quiet machine"
    }
  }
}

extension CostObjective {
  fileprivate var metric: MetricColumn {
    switch self {
    case .throughput: .nanosecondsPerOperation
    case .p99: .p99
    case .bytes: .liveBytesPerEntry
    }
  }
}
