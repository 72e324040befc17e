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

/// Every output that names a winner gives the same answer to the same rows, cell by cell.
@Suite struct VerdictAgreementTests {
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
    let report = BenchmarkReport(ofOurs: rows)
    var winners = 0
    for panel in report.scopes.flatMap(\.panels) {
      for threads in panel.threads {
        let contest = PanelContest(of: panel, threads: threads).contest
        let leader = try #require(contest.leader?.name)
        var configuration = panel.configuration
        configuration.threads = threads
        let lines = try #require(shown[Self.cell(configuration)])

        let close = Set(lines.filter { $0.mark != .none }.map(\.configuration.backend))
        switch contest.outcome {
        case .won(let key):
          winners += 1
          #expect(close == [key.name])
        case .tied(let keys), .undecided(let keys): #expect(close == Set(keys.map(\.name)))
        case .none: Issue.record("\(Self.cell(configuration)) has one backend")
        }

        let own = rows.filter { Self.cell($0.configuration) == Self.cell(configuration) }
        let comparison = try Comparison(
          ComparisonSides(of: own, againstBackend: leader), ComparisonTerms())
        for row in comparison.rows where row.isSubject {
          let isClose = close.contains(row.configuration.backend)
          #expect((row.judgment.verdict != .slower) == isClose, "\(row.configuration)")
          #expect(row.judgment.isIndicative == (sessions == 1))
        }

        let choice = try Self.choice(from: rows, of: configuration)
        #expect(choice.backend.rawValue == leader)
        let others = choice.undecidedBetween + choice.equivalent
        #expect(Set(others.map(\.rawValue)).union([leader]) == close.union([leader]))
        #expect(choice.contest.isIndicative == (sessions == 1))
      }
    }
    #expect(sessions < 22 || winners > 10, "a test in which nothing wins proves nothing")
  }

  /// The answer of `choose` to the question at a measured point.
  private static func choice(
    from rows: [Measurements.Measurement], of cell: Measurements.Measurement.Configuration
  ) throws -> ChoiceReport {
    let line =
      "--collection \(cell.collection) --workload \(cell.workload) --threads \(cell.threads) "
      + "--entries \(cell.entries)"
    let command = try ChooseCommand.parse(line.split(separator: " ").map(String.init))
    let source = try ChoiceSource(rows, command.selection)
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
