import Foundation
import Measurements
import Reporting
import Testing

struct ComparisonFormatsTests {
  private let names = ComparisonNames(base: "before.csv", candidate: "after.csv")

  /// A comparison with a slower row, an undecided peer, and one row on each side without a
  /// counterpart.
  private var comparison: Comparison {
    get throws {
      func times(_ first: Double) -> [Measurements.Measurement] {
        (0..<4).flatMap { session in
          Measurements.Measurement.trials(
            (0..<3).map { first * (1 + Double($0) / 100) }, process: "run-\(session)")
        }
      }
      let base =
        times(100) + Measurements.Measurement.trials([7], of: "ns-lock", kind: .peer)
        + Measurements.Measurement.trials([5], workload: "exchange")
      let candidate =
        times(200) + Measurements.Measurement.trials([8], of: "ns-lock", kind: .peer)
        + Measurements.Measurement.trials([5], threads: 8)
      return try Comparison(
        ComparisonSides(base: base, candidate: candidate), ComparisonTerms())
    }
  }

  @Test func `the text has the sides, the method and the results of the comparison`() throws {
    let text = ComparisonText(try comparison, names).text
    #expect(text.hasPrefix("ns_per_op, less is better: after.csv against before.csv.\n"))
    #expect(text.contains("Margin of equivalence: 5 %."))
    #expect(
      text.contains("dictionary, mixed, Int Int uniform, 1,024 entries, 2 threads (threads)\n"))
    #expect(
      text.contains(
        "mutex            101        202  2.000  2.000–2.000         4      12  slower\n"),
      "\(text)")
    #expect(
      text.contains(
        "ns-lock (peer)  7.00       8.00  1.143            –         1       1  undecided\n"
      ), "\(text)")
    #expect(text.contains("Only in the base:\n  dictionary, exchange"))
    #expect(text.contains("8 threads (threads): mutex\n"))
    #expect(
      text.hasSuffix(
        "geometric mean of the backends' ratios: 2.000\n0 faster, 1 slower, 0 equivalent, 0 undecided; "
          + "1 of the base alone; 1 of peers and baselines, which do not count.\n"))
  }

  @Test func `the Markdown starts with the counts and has a table`() throws {
    let text = ComparisonText(try comparison, names).markdown
    #expect(
      text.hasPrefix(
        "# Comparison\n\n**0 faster, 1 slower, 0 equivalent, 0 undecided; 1 of the base"))
    #expect(
      text.contains(
        "| mutex | 101 | 202 | 2.000 | 2.000–2.000 | 4 | 12 | slower |\n"))
    #expect(text.contains("## Only in the candidate\n\n- dictionary, mixed,"))
  }

  @Test func `the CSV has a line for every row, and empty fields for missing figures`() throws {
    let lines = ComparisonCSV(try comparison).text.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let header = lines[0]
    // The operation mix contains commas, so the split divides its quoted field.
    let mix = try #require(header.firstIndex(of: "mix"))
    let rows = lines.dropFirst().map { line in
      Dictionary(
        uniqueKeysWithValues: zip(header, line[..<mix] + ["mix"] + line[(mix + 3)...]))
    }
    #expect(
      rows.map { $0["verdict"] } == ["slower", "undecided", "only-in-base", "only-in-candidate"])
    #expect(rows[0]["base_trials"] == "12" && rows[0]["base_sessions"] == "4")
    #expect(rows[1]["ratio_low"] == "" && rows[1]["kind"] == "peer")
    #expect(rows[2]["candidate_median"] == "" && rows[2]["backend"] == "")
    #expect(rows[3]["base_median"] == "" && rows[3]["candidate_median"] == "5.0")
  }

  @Test func `the JSON has the same rows, with null for missing figures`() throws {
    let text = ComparisonJSON(try comparison, names).text
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(document["metric"] as? String == "ns_per_op")
    #expect(
      document["counts"] as? [String: Int] == [
        "faster": 0, "equivalent": 0, "slower": 1, "undecided": 0,
      ])
    let rows = try #require(document["rows"] as? [[String: Any]])
    #expect(rows.count == 4)
    #expect(abs(try #require(rows[0]["ratio"] as? Double) - 2) < 1e-9)
    #expect(rows[1]["ratio_low"] is NSNull)
    #expect(Set(rows.map { Set($0.keys) }).count == 1)
  }

  @Test func `the summary advises more sessions if there is only one`() throws {
    let few = Measurements.Measurement.trials([1, 2, 3])
    let comparison = try Comparison(
      ComparisonSides(base: few, candidate: few), ComparisonTerms())
    let advice = try #require(ComparisonSummary(comparison, names).advice)
    #expect(advice.contains("three or more sessions"))
    #expect(ComparisonSummary(try self.comparison, names).advice == nil)
  }
}
