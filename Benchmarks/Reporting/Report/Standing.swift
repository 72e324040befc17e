import Charts
import Measurements

/// How the backends of one panel did at one number of threads, by `Ranking`.
struct Standing: Sendable {
  enum Outcome: Hashable, Sendable {
    /// The fastest beyond what the trials vary, and how many times the median of the next is its own.
    case won(by: LegendKey, ratio: Double)
    case undecided(among: [LegendKey])
    /// There are no two backends to compare.
    case noContest
  }

  let panel: Panel
  let threads: Int
  let outcome: Outcome

  init(of panel: Panel, threads: Int) {
    self.panel = panel
    self.threads = threads
    let entrants = panel.series.filter { $0.threads == threads && $0.key.role == .backend }
    let contenders = entrants.filter { $0.mark == .contender }.map(\.key)
    if let winner = entrants.first(where: { $0.mark == .best }) {
      let others = entrants.filter { $0.key != winner.key }.map(\.median)
      outcome = .won(by: winner.key, ratio: (others.min() ?? winner.median) / winner.median)
    } else {
      outcome = contenders.isEmpty ? .noContest : .undecided(among: contenders)
    }
  }

  static func all(of panels: [Panel]) -> [Standing] {
    panels.flatMap { panel in panel.threads.map { Standing(of: panel, threads: $0) } }
  }

  /// What is no backend of ours and takes less time by the median than each of them. It is no verdict.
  var fasterOutsiders: [LegendKey] {
    let all = panel.series.filter { $0.threads == threads }
    guard let best = all.filter({ $0.key.role == .backend }).map(\.median).min() else { return [] }
    return all.filter { [.peer, .publishedDesign].contains($0.key.role) && $0.median < best }
      .map(\.key)
  }
}

extension ReportSeries {
  fileprivate var median: Double { summary.medianNanosecondsPerOperation }
}
