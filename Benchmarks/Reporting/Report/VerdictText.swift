import Charts
import Measurements

/// Which backend wins where, in sentences; one for each of them, and one for what is undecided.
struct VerdictText: Sendable {
  struct Sentence: Hashable, Sendable {
    /// Stands out.
    var subject: String
    var rest: String
  }

  private let standings: [Standing]
  private let keys: [LegendKey]

  init(of panels: [Panel]) {
    standings = Standing.all(of: panels)
    keys = panels.flatMap(\.keys).filter { $0.role == .backend }.withoutRepetitions
  }

  /// How much was compared, and how much of it is decided.
  var overview: String {
    let contests = standings.filter { $0.outcome != .noContest }
    guard !contests.isEmpty else {
      return "Nothing is compared: that takes two backends at the same number of threads."
    }
    let undecided = contests.filter { if case .undecided = $0.outcome { true } else { false } }
    let decided = contests.count - undecided.count
    return
      "\(Self.counted(contests.count, "comparison", "comparisons")) of a workload at a number of "
      + "threads: \(decided) decided, \(undecided.count) not."
  }

  var sentences: [Sentence] {
    let winners = keys.map { key in (key, standings.filter { $0.winner == key }) }
      .filter { !$0.1.isEmpty }.sorted { $0.1.count > $1.1.count }
    let losers = keys.filter { key in
      !winners.contains { $0.0 == key } && standings.contains { $0.outcome != .noContest }
    }
    let undecided = standings.filter { $0.isUndecided }
    let outsiders = standings.filter { !$0.fasterOutsiders.isEmpty }
    return winners.map { Sentence(subject: $0.0.name, rest: Self.wins($0.1)) }
      + (losers.isEmpty ? [] : [Self.defeat(of: losers)])
      + (undecided.isEmpty
        ? [] : [Sentence(subject: "Undecided", rest: ": \(Self.places(of: undecided)).")])
      + (outsiders.isEmpty
        ? [] : [Sentence(subject: "Faster than any backend", rest: Self.outsiders(outsiders))])
  }

  private static func wins(_ standings: [Standing]) -> String {
    let ratios = standings.compactMap(\.ratio)
    let (least, most) = (ratios.min() ?? 1, ratios.max() ?? 1)
    let times =
      ratioText(least) == ratioText(most)
      ? ratioText(least) : "\(ratioText(least)) to \(ratioText(most))"
    return " wins \(counted(standings.count, "comparison", "comparisons")): "
      + "\(places(of: standings)). The next takes \(times) times as long."
  }

  private static func defeat(of keys: [LegendKey]) -> Sentence {
    Sentence(
      subject: list(keys.map(\.name)), rest: keys.count == 1 ? " wins none." : " win none.")
  }

  private static func outsiders(_ standings: [Standing]) -> String {
    let keys = standings.flatMap(\.fasterOutsiders).withoutRepetitions
    let parts = keys.map { key in
      let own = standings.filter { $0.fasterOutsiders.contains(key) }
      return "\(key.text) in \(places(of: own))"
    }
    return " by the median, but not ranked: \(parts.joined(separator: "; "))."
  }

  /// `read-only (1 and 2 threads), exchange (all)`.
  static func places(of standings: [Standing]) -> String {
    let titles = standings.map(\.place).withoutRepetitions
    return titles.map { title in
      let own = standings.filter { $0.place == title }
      let counts = own.map(\.threads)
      let isAll = counts.count == own[0].panel.threads.count && counts.count > 1
      let text =
        counts.count == 1 && counts[0] == 1 ? "1 thread" : "\(list(counts.map { "\($0)" })) threads"
      return "\(title) (\(isAll ? "all" : text))"
    }.joined(separator: ", ")
  }

  private static func list(_ words: [String]) -> String {
    words.count < 2
      ? words.joined() : "\(words.dropLast().joined(separator: ", ")) and \(words.last!)"
  }

  private static func counted(_ count: Int, _ one: String, _ many: String) -> String {
    "\(NumberText.count(count)) \(count == 1 ? one : many)"
  }

  private static func ratioText(_ ratio: Double) -> String {
    NumberText.amount(ratio)
  }
}

extension Standing {
  fileprivate var winner: LegendKey? {
    if case .won(let key, _) = outcome { key } else { nil }
  }

  fileprivate var ratio: Double? {
    if case .won(_, let ratio) = outcome { ratio } else { nil }
  }

  fileprivate var isUndecided: Bool {
    if case .undecided = outcome { true } else { false }
  }

  fileprivate var place: String { panel.name }
}

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
