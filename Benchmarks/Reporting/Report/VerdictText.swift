import Charts
import Measurements

/// The outcome of one panel at one number of threads, by `Ranking`.
struct Standing: Sendable {
  enum Outcome: Hashable, Sendable {
    /// A backend is the fastest. `ratio` is the median of the next one divided by its own.
    case won(by: LegendKey, ratio: Double)
    case undecided(among: [LegendKey])
    /// There are fewer than two backends.
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
      let others = entrants.filter { $0.key != winner.key }.map(\.medianTime)
      outcome = .won(by: winner.key, ratio: (others.min() ?? winner.medianTime) / winner.medianTime)
    } else {
      outcome = contenders.isEmpty ? .noContest : .undecided(among: contenders)
    }
  }

  var winner: LegendKey? {
    if case .won(let key, _) = outcome { key } else { nil }
  }

  var ratio: Double? {
    if case .won(_, let ratio) = outcome { ratio } else { nil }
  }

  var isUndecided: Bool {
    if case .undecided = outcome { true } else { false }
  }

  /// The peers and published designs whose median is below every backend's; they are not ranked.
  var fasterOutsiders: [LegendKey] {
    let all = panel.series.filter { $0.threads == threads }
    guard let best = all.filter({ $0.key.role == .backend }).map(\.medianTime).min() else {
      return []
    }
    return all.filter { [.peer, .publishedDesign].contains($0.key.role) && $0.medianTime < best }
      .map(\.key)
  }
}

/// The verdicts in sentences: one per winner, and one for the undecided comparisons.
struct VerdictText: Sendable {
  struct Sentence: Hashable, Sendable {
    /// Printed in bold.
    var subject: String
    var rest: String
  }

  private let standings: [Standing]
  private let keys: [LegendKey]

  init(of panels: [Panel]) {
    standings = panels.flatMap { panel in
      panel.threads.map { Standing(of: panel, threads: $0) }
    }
    keys = panels.flatMap(\.keys).filter { $0.role == .backend }.withoutRepetitions
  }

  /// The number of comparisons, and how many of them are decided.
  var overview: String {
    let contests = standings.filter { $0.outcome != .noContest }
    guard !contests.isEmpty else {
      return "No comparison: it needs two backends at the same number of threads."
    }
    let undecided = contests.filter(\.isUndecided)
    let decided = contests.count - undecided.count
    return
      "\(Self.comparisons(contests.count)) of a workload at a number of "
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
    let texts = [ratios.min() ?? 1, ratios.max() ?? 1].map { NumberText.amount($0) }
    let times = texts.withoutRepetitions.joined(separator: " to ")
    return " wins \(comparisons(standings.count)): "
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

  /// Returns text such as `read-only (1 and 2 threads), exchange (all)`.
  private static func places(of standings: [Standing]) -> String {
    let titles = standings.map(\.panel.name).withoutRepetitions
    return titles.map { title in
      let own = standings.filter { $0.panel.name == title }
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

  private static func comparisons(_ count: Int) -> String {
    "\(NumberText.count(count)) \(count == 1 ? "comparison" : "comparisons")"
  }
}
