import Charts
import Measurements

/// The contest of one panel at one number of threads.
struct PanelContest: Sendable {
  let panel: Panel
  let threads: Int
  let contest: Contest<LegendKey>

  init(of panel: Panel, threads: Int) {
    self.panel = panel
    self.threads = threads
    let entrants = panel.series.filter { $0.threads == threads && $0.key.role == .backend }
    contest = Contest(entrants.map { ($0.key, $0.summary.nanosecondsPerOperation) })
  }

  /// The leader, then the backends that may be as fast, in one session if that is all.
  var close: [LegendKey] {
    switch contest.outcome {
    case .won(let key): [key]
    case .tied(let keys), .undecided(let keys): keys
    case .none: []
    }
  }

  /// Whether there are at least two backends.
  var isContest: Bool { contest.outcome != .none }

  /// The fastest backend over sessions; `nil` if there is none.
  var winner: LegendKey? {
    if case .won(let key) = contest.generalOutcome { key } else { nil }
  }

  /// The ratio of the second to the winner; `nil` if there is no winner.
  var ratio: Double? { winner == nil ? nil : contest.margin?.ratio }

  var isUndecided: Bool {
    if case .undecided = contest.generalOutcome { true } else { false }
  }

  var isTied: Bool {
    if case .tied = contest.generalOutcome { true } else { false }
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

/// The verdicts in sentences: one per winner, and one for each other outcome.
struct VerdictText: Sendable {
  struct Sentence: Hashable, Sendable {
    /// Printed in bold.
    var subject: String
    var rest: String
  }

  private let standings: [PanelContest]
  private let keys: [LegendKey]
  /// The backend to use where no difference was decided.
  private let standard: String

  init(of panels: [Panel], standard: String) {
    self.standard = standard
    standings = panels.flatMap { panel in
      panel.threads.map { PanelContest(of: panel, threads: $0) }
    }
    keys = panels.flatMap(\.keys).filter { $0.role == .backend }.withoutRepetitions
  }

  /// The number of comparisons, and how many of them are decided.
  var overview: String {
    let contests = standings.filter(\.isContest)
    guard !contests.isEmpty else { return Self.noComparison.subject + Self.noComparison.rest }
    let won = contests.count { $0.winner != nil }
    let tied = contests.count(where: \.isTied)
    return
      "\(Self.comparisons(contests.count)) of a workload at a number of threads: \(won) with a "
      + "winner, \(tied) equivalent, \(contests.count - won - tied) undecided."
      + Self.scope(of: contests)
  }

  /// The backend that wins the most comparisons, or else the standard one; and every comparison in
  /// which it is known to be slower.
  var answer: Sentence {
    let contests = standings.filter(\.isContest)
    guard !contests.isEmpty else { return Self.noComparison }
    let decision = Decision(
      of: contests.map(\.contest), standard: keys.first { $0.name == standard })
    let lost = decision.lost.map { contests[$0] }
    let losses = lost.compactMap(\.contest.leader).withoutRepetitions.map { leader in
      "\(leader.name) in \(Self.places(of: lost.filter { $0.contest.leader == leader }))"
    }
    let but = losses.isEmpty ? "" : " But it is slower than \(losses.joined(separator: "; than "))."
    guard let winner = decision.winner else {
      return Sentence(
        subject: "No \(lost.isEmpty ? "difference" : "winner") was decided",
        rest: "; the default is \(self.standard).\(but)\(Self.scope(of: contests))")
    }
    return Sentence(
      subject: "Use \(winner.name)",
      rest: ": it wins \(decision.won.count) of \(Self.comparisons(contests.count)).\(but)"
        + Self.scope(of: contests))
  }

  private static let noComparison = Sentence(
    subject: "No comparison", rest: ": it needs two backends at the same number of threads.")

  /// Returns a sentence about the comparisons of one session; empty if there are none.
  private static func scope(of contests: [PanelContest]) -> String {
    let indicative = contests.count(where: \.contest.isIndicative)
    guard indicative > 0 else { return "" }
    let subject =
      indicative == contests.count
      ? "One session was measured: its" : "\(comparisons(indicative)) had one session: their"
    return " \(subject) verdicts are indicative, and another session may differ."
  }

  var sentences: [Sentence] {
    let winners = keys.map { key in (key, standings.filter { $0.winner == key }) }
      .filter { !$0.1.isEmpty }.sorted { $0.1.count > $1.1.count }
    let losers = keys.filter { key in
      !winners.contains { $0.0 == key } && standings.contains(where: \.isContest)
    }
    let groups = [
      ("Undecided", standings.filter(\.isUndecided)),
      ("Equivalent", standings.filter(\.isTied)),
    ].filter { !$0.1.isEmpty }
    let outsiders = standings.filter { !$0.fasterOutsiders.isEmpty }
    return winners.map { Sentence(subject: $0.0.name, rest: Self.wins($0.1)) }
      + (losers.isEmpty ? [] : [Self.defeat(of: losers)])
      + groups.map { Sentence(subject: $0.0, rest: ": \(Self.places(of: $0.1)).") }
      + (outsiders.isEmpty
        ? [] : [Sentence(subject: "Faster than any backend", rest: Self.outsiders(outsiders))])
  }

  private static func wins(_ standings: [PanelContest]) -> String {
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

  private static func outsiders(_ standings: [PanelContest]) -> String {
    let keys = standings.flatMap(\.fasterOutsiders).withoutRepetitions
    let parts = keys.map { key in
      let own = standings.filter { $0.fasterOutsiders.contains(key) }
      return "\(key.text) in \(places(of: own))"
    }
    return " by the median, but not ranked: \(parts.joined(separator: "; "))."
  }

  /// Returns text such as `read-only (1 and 2 threads), exchange (all)`.
  private static func places(of standings: [PanelContest]) -> String {
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
    NumberText.count(count, "comparison")
  }
}
