import TerminalIO
import ArgumentParser
import Foundation
import Interleaving
@testable import StressTesting
import Testing
import WeakCollections

@testable import benchlab

struct ScalingTests {
  private func plan(_ line: String) throws -> ScalingPlan {
    try ScalingPlan(ScalingOptions.parse(line.split(separator: " ").map(String.init)))
  }

  private func row(_ workload: ScalingWorkload, cores: Int, transfers: Int) -> ScalingRow {
    var row = ScalingRow(
      collection: .dictionary, backend: .lockFree, workload: workload, cores: cores, seed: 1,
      operations: 10)
    row.structure.transfers = transfers
    return row
  }

  @Test func `a plan has a trial for each collection, backend, workload and number of cores`()
    throws
  {
    #expect(try plan("").trials.count == 2 * ScalingTrial.backends.count * 3 * 7)
    let one = try plan("--collection dictionary --workload writes --cores 128,128 --seed 9").trials
    #expect(one.count == 1)
    #expect((one[0].cores, one[0].seed, one[0].workload) == (128, 9, .writes))
  }

  @Test(
    arguments: [
      "--cores 0", "--cores 129", "--cores 2,,4", "--workload reading", "--backend mutex",
      "--collection set", "--csv rows.txt", "--chart chart.png", "--csv /none/rows.csv",
    ])
  func `what is not allowed is refused with what is`(_ line: String) {
    #expect {
      try plan(line)
    } throws: { error in
      let error = error as? CommandError
      return error?.status == .usage && error!.description.contains("allowed")
    }
  }

  @Test(.enabled(if: !Exploration.isAvailable))
  func `a build without virtual cores says so in one line`() throws {
    #expect {
      try ScalingCommand.parse([]).run()
    } throws: { error in
      let error = error as? CommandError
      return error?.status == .usage && !error!.description.contains("\n")
    }
  }

  @Test func `the table counts for one operation`() {
    let lines = ScalingTable(rows: [row(.writes, cores: 4, transfers: 25)]).text.split(
      separator: "\n")
    #expect(lines[1].split(separator: " ").map(String.init).contains("2.50"))
  }

  @Test func `the chart is XML with a line for each kind of memory, and says where there is none`()
    throws
  {
    let rows = [
      row(.reads, cores: 2, transfers: 0), row(.reads, cores: 64, transfers: 0),
      row(.writes, cores: 2, transfers: 30), row(.writes, cores: 64, transfers: 400),
    ]
    let svg = ScalingChart(rows: rows).svg
    // In the legend and in the one chart that has any.
    #expect(
      svg.components(separatedBy: "class=\"line\"").count - 1 == 2 * MemoryKind.allCases.count)
    #expect(svg.components(separatedBy: "none, however many cores").count - 1 == 1)
    // The greatest of them, 40, is drawn on a scale up to 50.
    #expect(svg.contains(">50</text>"))
    let elements = ["<svg", "<g ", "</g>", "</svg>"].map {
      svg.components(separatedBy: $0).count - 1
    }
    // A group for each of two charts, three samples of the legend and three lines.
    #expect(elements == [1, 8, 8, 1])
  }

  @Test func `the file has a line for each row`() {
    let csv = ScalingRow.csv([
      row(.reads, cores: 2, transfers: 0), row(.reads, cores: 4, transfers: 0),
    ])
    let lines = csv.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(Set(lines.map { $0.split(separator: ",").count }) == [ScalingRow.columns.count])
  }
}
