import Foundation
import Measurements
import Reporting
import SeededTesting
import Testing

struct ComparisonFormatsTests {
  private let names = ComparisonNames(base: "before.csv", candidate: "after.csv")

  /// One row worse, one undecided peer, and one row on each side alone.
  private var comparison: Comparison {
    get throws {
      func times(_ first: Double) -> [Double] { (0..<12).map { first + Double($0) / 100 } }
      let base =
        Measurements.Measurement.trials(times(100))
        + Measurements.Measurement.trials([7], of: "ns-lock", kind: .peer)
        + Measurements.Measurement.trials([5], workload: "exchange")
      let candidate =
        Measurements.Measurement.trials(times(200))
        + Measurements.Measurement.trials([8], of: "ns-lock", kind: .peer)
        + Measurements.Measurement.trials([5], threads: 8)
      return try Comparison(
        ComparisonSides(base: base, candidate: candidate), ComparisonTerms(),
        drawingFrom: SeededGenerator(seed: 1))
    }
  }

  @Test func `text says what is compared, how, and what came of it`() throws {
    let text = ComparisonText(try comparison, names).text
    #expect(text.hasPrefix("ns_per_op, less is better: after.csv against before.csv.\n"))
    #expect(text.contains("Threshold 5 %; noise floor unknown"))
    #expect(text.contains("dictionary, mixed, Int Int uniform, size 1,024, 2 threads (threads)\n"))
    #expect(
      text.contains(
        "mutex            100        200  1.999    1.999–2.000      12  1.00  < 0.001  worse\n"),
      "\(text)")
    #expect(
      text.contains(
        "ns-lock (peer)  7.00       8.00  1.143              –       1  1.00    1.000  undecided\n"
      ), "\(text)")
    #expect(text.contains("Only in the base:\n  dictionary, exchange"))
    #expect(text.contains("8 threads (threads): mutex\n"))
    #expect(
      text.hasSuffix(
        "0 better, 0 same, 1 worse, 0 undecided; 1 of the base alone; 1 of peers and baselines, which do not "
          + "count.\n"))
  }

  @Test func `Markdown has a table, and the counts first`() throws {
    let text = ComparisonMarkdown(try comparison, names).text
    #expect(
      text.hasPrefix("# Comparison\n\n**0 better, 0 same, 1 worse, 0 undecided; 1 of the base"))
    #expect(
      text.contains(
        "| mutex | 100 | 200 | 1.999 | 1.999–2.000 | 12 | 1.00 | &lt; 0.001 | worse |\n"))
    #expect(text.contains("## Only in the candidate\n\n- dictionary, mixed,"))
  }

  @Test func `CSV has a line for every row, and nothing where there is nothing`() throws {
    let lines = ComparisonCSV(try comparison).text.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let header = lines[0]
    // The operation mix holds commas, so it is quoted and taken apart here.
    let mix = try #require(header.firstIndex(of: "mix"))
    let rows = lines.dropFirst().map { line in
      Dictionary(
        uniqueKeysWithValues: zip(header, line[..<mix] + ["mix"] + line[(mix + 3)...]))
    }
    #expect(
      rows.map { $0["verdict"] } == ["worse", "undecided", "only-in-base", "only-in-candidate"])
    #expect(rows[0]["base_trials"] == "12" && rows[0]["noise_floor"] == "")
    #expect(rows[1]["ratio_low"] == "" && rows[1]["kind"] == "peer")
    #expect(rows[2]["candidate_median"] == "" && rows[2]["backend"] == "")
    #expect(rows[3]["base_median"] == "" && rows[3]["candidate_median"] == "5.0")
  }

  @Test func `JSON has the same rows, with null`() throws {
    let text = ComparisonJSON(try comparison, names).text
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(document["metric"] as? String == "ns_per_op")
    #expect(
      document["counts"] as? [String: Int] == [
        "better": 0, "same": 0, "worse": 1, "undecided": 0,
      ])
    let rows = try #require(document["rows"] as? [[String: Any]])
    #expect(rows.count == 4)
    #expect(abs(try #require(rows[0]["ratio"] as? Double) - 200.055 / 100.055) < 1e-9)
    #expect(rows[1]["ratio_low"] is NSNull)
    #expect(Set(rows.map { Set($0.keys) }).count == 1)
  }

  @Test func `too few trials are said to be so, and how many would do`() throws {
    let few = Measurements.Measurement.trials([1, 2, 3])
    let comparison = try Comparison(
      ComparisonSides(base: few, candidate: few), ComparisonTerms(),
      drawingFrom: SeededGenerator(seed: 1))
    let advice = try #require(ComparisonSummary(comparison, names).advice)
    #expect(advice.contains("an interval needs 6 per side"))
    #expect(ComparisonTerms().trialsNeeded(forRows: 1) == 6)
    #expect(ComparisonTerms().trialsNeeded(forRows: 300) == 8)
  }
}
