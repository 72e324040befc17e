import ArgumentParser
import BenchmarkCommands
import Charts
import Choosing
import Foundation
import Measurements
import Testing
import WeakCollections

@testable import Reporting
@testable import BenchmarkProgram

/// Every output that names a winner gives the same answer to the same rows, cell by cell: in all
/// cells with `WEAK_COLLECTIONS_FULL=1`, and otherwise in every fifth.
@Suite struct VerdictAgreementTests {
  private static let stride =
    ProcessInfo.processInfo.environment["WEAK_COLLECTIONS_FULL"] == "1" ? 1 : 5

  /// The rows of a committed run of several sessions, and one session of them.
  private static func rows(sessions: Int) throws -> [Measurements.Measurement] {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../results/amd-epyc-2c-24gib-debian-12/2026-11-25-standard-1.csv")
    let rows = try ResultsFile.rows(in: path.path)
    let kept = Set(rows.map(\.session).withoutRepetitions.prefix(sessions))
    return rows.filter { kept.contains($0.session) && $0.configuration.pace.mode == .closed }
  }

  @Test(arguments: [1, 3, 22])
  func `the table, the page, compare and choose agree`(_ sessions: Int) throws {
    let rows = try Self.rows(sessions: sessions)
    #expect(Set(rows.map(\.session)).count == sessions)
    let shown = Dictionary(grouping: SummaryLine.lines(for: rows)) { Self.cell($0.configuration) }
    let measured = Dictionary(grouping: rows) { Self.cell($0.configuration) }
    let source = try ChoiceSource(rows, ChooseCommand.parse([]).selection)
    let report = BenchmarkReport(ofOurs: rows)
    var (cells, winners) = (0, 0)
    for panel in report.scopes.flatMap(\.panels) {
      for threads in panel.threads {
        cells += 1
        guard cells % Self.stride == 0 else { continue }
        let contest = PanelContest(of: panel, threads: threads).contest
        let leader = try #require(contest.leader?.name)
        var configuration = panel.configuration
        configuration.threads = threads
        let cell = Self.cell(configuration)
        let lines = try #require(shown[cell])

        let close = Set(lines.filter { $0.mark != .none }.map(\.configuration.backend))
        switch contest.outcome {
        case .won(let key):
          winners += 1
          #expect(close == [key.name])
        case .tied(let keys), .undecided(let keys): #expect(close == Set(keys.map(\.name)))
        case .none: Issue.record("\(cell) has one backend")
        }

        let comparison = try Comparison(
          ComparisonSides(of: measured[cell, default: []], againstBackend: leader),
          ComparisonTerms())
        for row in comparison.rows where row.isSubject {
          let isClose = close.contains(row.configuration.backend)
          #expect((row.judgment.verdict != .slower) == isClose, "\(row.configuration)")
          #expect(row.judgment.isIndicative == (sessions == 1))
        }

        let choice = try Self.choice(from: source, of: cell)
        #expect(choice.backend.rawValue == leader)
        let others = choice.undecidedBetween + choice.equivalent
        #expect(Set(others.map(\.rawValue)).union([leader]) == close.union([leader]))
        #expect(choice.contest.isIndicative == (sessions == 1))
      }
    }
    #expect(
      sessions < 22 || winners > 10 / Self.stride, "a test in which nothing wins proves nothing")
  }

  /// The answer of `choose` to the question at a measured point.
  private static func choice(
    from source: ChoiceSource, of cell: Measurements.Measurement.Configuration
  ) throws -> ChoiceReport {
    let line =
      "--collection \(cell.collection) --workload \(cell.workload) --threads \(cell.threads) "
      + "--entries \(cell.entries)"
    let command = try ChooseCommand.parse(line.split(separator: " ").map(String.init))
    let profile = try command.choice.workloadProfile(nil, otherwiseCores: source.key.cores)
    return ChoiceReport(profile, .throughput, source)
  }

  /// A configuration without its backend.
  private static func cell(_ configuration: Measurements.Measurement.Configuration)
    -> Measurements.Measurement.Configuration
  {
    var cell = configuration
    cell.backend = ""
    return cell
  }
}
