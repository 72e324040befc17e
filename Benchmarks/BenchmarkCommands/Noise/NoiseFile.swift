import TerminalIO
import Charts
import Foundation
import Measurements
import Reporting
import SeededRandom
import Workloads

/// The trials of an A/A run, beside the rows that were measured with it: `rows.noise.csv` for `rows.csv`.
///
/// They are rows like any other, in a file of their own: among the others they would be taken for
/// results, and a file of floors alone would say nothing of other metrics, nor of sides with more processes.
package enum NoiseFile {
  package static let ending = ".noise.csv"

  package static func path(beside rows: String) -> String {
    (rows.hasSuffix(".csv") ? String(rows.dropLast(4)) : rows) + ending
  }

  /// What the first of the files has to say that there is beside one of these, if it was measured where
  /// `rows` were.
  package static func noise(
    beside paths: [String], for rows: [Measurements.Measurement], _ metric: MetricColumn
  ) throws(CommandError) -> MachineNoise? {
    let files = paths.map(path(beside:)).withoutRepetitions
    guard let file = files.first(where: FileManager.default.fileExists) else { return nil }
    let place = rows.first.map(Place.init)
    let trials = try ResultsFile.rows(in: file).filter { Place($0) == place }
    guard !trials.isEmpty else {
      Console.note(
        "\(file) is not used: it is of another machine, compiler, allocator or build than the rows")
      return nil
    }
    return MachineNoise(of: trials, metric, drawingFrom: SplitMix64(seed: Seed.fixed))
  }

  /// What noise depends on: not on the commit.
  private struct Place: Equatable {
    let names: [String]
    let cores: Int

    init(_ row: Measurements.Measurement) {
      let environment = row.environment
      names = [
        environment.machine, environment.swift, environment.mutexFlavor ?? "",
        environment.allocator, environment.buildConfiguration,
      ]
      cores = environment.cores
    }
  }
}
