import ArgumentParser
import BenchmarkCommands
import Charts
import Choosing
import Foundation
import Measurements
import ProgramTesting
import SeededTesting
import Testing
import WeakCollections

@testable import BenchmarkProgram
@testable import Reporting

/// The headline and the cells of the page, `show`, `compare` and `choose` give the same answer to
/// the same rows, cell by cell.
@Suite struct VerdictAgreementTests {
  /// The rows of a committed run of several sessions, and one session of them.
  private static func rows(sessions: Int) throws -> [Measurements.Measurement] {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../results/amd-epyc-2c-24gib-debian-12/2026-11-25-standard-1.csv")
    let rows = try ResultsFile.rows(in: path.path)
    let kept = Set(rows.map(\.session).withoutRepetitions.prefix(sessions))
    return rows.filter { kept.contains($0.session) && $0.configuration.pace.mode == .closed }
  }

  /// Of the committed run, every fifth cell, and all of them with `WEAK_COLLECTIONS_FULL=1`.
  @Test(arguments: [1, 3, 22])
  func `all outputs agree on a committed run`(_ sessions: Int) throws {
    let rows = try Self.rows(sessions: sessions)
    #expect(Set(rows.map(\.session)).count == sessions)
    let winners = try Self.checkAgreement(rows, stride: TestOptions.isFull ? 1 : 5)
    #expect(sessions < 22 || winners > 2, "a test in which nothing wins proves nothing")
    #expect(sessions > 1 || winners == 0, "one session decides nothing")
  }

  @Test func `all outputs agree on random files`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    var (winners, files) = (0, 0)
    for _ in 0..<TestOptions.simulations(full: 600) {
      let rows = Self.randomRows(using: &generator)
      guard !rows.isEmpty else { continue }
      files += 1
      winners += try Self.checkAgreement(rows, stride: 1)
    }
    #expect(winners > files / 10, "a test in which nothing wins proves nothing")
  }

  /// Up to four backends at three numbers of threads, in up to five sessions. Some series differ by
  /// little and others by much, some scatter, and some sessions lack some series.
  private static func randomRows(
    using generator: inout SeededGenerator
  ) -> [Measurements.Measurement] {
    func normal(_ deviation: Double) -> Double {
      deviation
        * (0..<4).reduce(0.0) { sum, _ in
          sum + Double.random(in: -0.87...0.87, using: &generator)
        }
    }
    let backends = ["lock-free", "mutex", "adaptive-lock", "actor"]
      .filter { _ in Int.random(in: 0..<5, using: &generator) > 0 }
    let sessions = Int.random(in: 1...5, using: &generator)
    let trials = Int.random(in: 1...2, using: &generator)
    let lacking = Bool.random(using: &generator) ? 0 : 30
    let effects = (0..<sessions).map { _ in normal(0.2) }
    let spread = [0.02, 0.3, 2].randomElement(using: &generator)!
    var rows: [Measurements.Measurement] = []
    for threads in [1, 2, 8] {
      for backend in backends {
        let base = log(100) + normal(spread)
        let noise = [0, 0.01, 0.1, 1].randomElement(using: &generator)!
        for session in 0..<sessions where Int.random(in: 0..<100, using: &generator) >= lacking {
          for trial in 0..<trials {
            var row = Measurements.Measurement.example(
              rows.count + 1, backend, threads: threads,
              nanosecondsPerOperation: exp(base + effects[session] + normal(noise)))
            row.environment.kernel = "Linux 6.18.44 x86_64"
            row.environment.mutexFlavor = "priority-inheritance"
            row.trial.session = session + 1
            row.trial.number = session * trials + trial + 1
            rows.append(row)
          }
        }
      }
    }
    return rows
  }

  /// Compares all outputs, and returns the number of cells with a winner.
  private static func checkAgreement(
    _ rows: [Measurements.Measurement], stride: Int
  ) throws -> Int {
    let shown = Dictionary(grouping: SummaryLine.lines(for: rows)) { Self.cell($0.configuration) }
    let measured = Dictionary(grouping: rows) { Self.cell($0.configuration) }
    let source = try ChoiceSource(rows, ChooseCommand.parse([]).selection)
    let report = BenchmarkReport(ofOurs: rows)
    let html = ReportPage(report).html
    var (cells, all) = (0, 0)
    for panels in Dictionary(
      grouping: report.scopes.flatMap(\.panels), by: \.configuration.collection
    ).values {
      var wins: [String: Int] = [:]
      var losers: [(backends: Set<String>, place: String)] = []
      for panel in panels {
        for threads in panel.threads {
          cells += 1
          guard cells % stride == 0 else { continue }
          var configuration = panel.configuration
          configuration.threads = threads
          let cell = Self.cell(configuration)
          let own = measured[cell, default: []]
          let standing = PanelContest(of: panel, threads: threads)
          guard standing.isContest else { continue }
          let decision = try check(
            shown[cell, default: []], own, standing, choice(from: source, of: cell), html: html)
          if let winner = decision.winner { wins[winner, default: 0] += 1 }
          losers.append((decision.losers, panel.name))
        }
      }
      all += wins.values.reduce(0, +)
      guard stride == 1 else { continue }
      let answer = VerdictText(of: panels, standard: Backend.standard.rawValue).answer
      let used =
        answer.subject.hasPrefix("Use ") ? String(answer.subject.dropFirst("Use ".count)) : nil
      #expect((used == nil) == wins.isEmpty, "\(answer)")
      if let used {
        #expect(wins[used] == wins.values.max(), "\(answer) \(wins)")
      } else if !losers.isEmpty {
        #expect(answer.rest.hasPrefix("; the default is lock-free."), "\(answer)")
      }
      let lost = losers.filter { $0.backends.contains(used ?? Backend.standard.rawValue) }
      #expect(answer.rest.contains("But it is slower than") == !lost.isEmpty, "\(answer)")
      for (_, place) in lost { #expect(answer.rest.contains("\(place) ("), "\(answer)") }
    }
    return all
  }

  /// Checks one cell, and returns its winner and the backends known to be slower than the leader.
  private static func check(
    _ lines: [SummaryLine], _ rows: [Measurements.Measurement], _ standing: PanelContest,
    _ choice: ChoiceReport, html: String
  ) throws -> (winner: String?, losers: Set<String>) {
    let subjects = lines.filter { $0.summary.series.kind == .subject }
    func backends(_ marks: Mark...) -> Set<String> {
      Set(subjects.filter { marks.contains($0.mark) }.map(\.configuration.backend))
    }
    func names(_ backends: [Backend]) -> Set<String> { Set(backends.map(\.rawValue)) }
    let leader = try #require(choice.contest.leader?.rawValue)
    let first = try #require(subjects.first { $0.configuration.backend == leader })
    // `show` never marks a median of more than twice the best as similar.
    for line in subjects where line.mark == .contender {
      #expect(
        line.summary.medianNanosecondsPerOperation
          <= 2 * first.summary.medianNanosecondsPerOperation)
    }

    // `choose`.
    #expect(choice.isMeasured)
    let far = backends(.outOfRange)
    #expect(names(choice.contest.outOfRange) == far)
    if let winner = choice.decision.winner {
      #expect(choice.backend == winner && backends(.best) == [winner.rawValue])
    } else {
      #expect(backends(.best) == [])
      let isDefault = choice.decision.lost.isEmpty
      #expect(choice.backend.rawValue == (isDefault ? Backend.standard.rawValue : leader))
      let text = ChoiceText(report: choice, explains: false).text
      #expect(text.hasPrefix("no ") && !text.contains("\nsure"), "\(text)")
    }
    let open = names(choice.undecidedBetween + choice.equivalent)
    #expect(open.isSuperset(of: backends(.contender, .outOfRange, .bestInSession)))

    // The cell of the page.
    #expect(standing.contest.leader?.name == leader)
    #expect(standing.winner?.name == choice.decision.winner?.rawValue)
    let near = standing.close.map(\.name).filter { !far.contains($0) }
    #expect(Set(near) == backends(.best, .bestInSession, .contender))
    let title =
      if case .won = standing.contest.outcome {
        "\(leader) \(standing.winner == nil ? "was" : "is") the fastest"
      } else {
        "\(standing.isTied ? "equivalent" : "undecided"): \(near.joined(separator: ", "))"
      }
    #expect(html.contains(": \(title)"), "\(title)")

    // `compare`.
    let comparison = try Comparison(
      ComparisonSides(of: rows, againstBackend: leader), ComparisonTerms())
    var losers: Set<String> = []
    for row in comparison.rows where row.isSubject {
      let name = row.configuration.backend
      if row.verdict == .slower { losers.insert(name) }
      let isClose = backends(.contender, .outOfRange).contains(name)
      #expect((row.judgment.verdict != .slower) == isClose, "\(row.configuration)")
      #expect((row.judgment.text == "undecided (range)") == far.contains(name))
      #expect(open.isEmpty || open.contains(name) == (row.verdict != .slower))
    }
    return (choice.decision.winner?.rawValue, losers)
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
