/// The comparison of several series that compete: which one is the fastest.
///
/// A series wins if the verdict on every other series is *slower*. Because all must be slower, a
/// false winner is no more likely than a false verdict in a comparison of two series. If none wins,
/// the series with the least figure leads those that may be the fastest.
public struct Contest<Name: Hashable & Sendable>: Hashable, Sendable {
  /// The result of a contest.
  public enum Outcome: Hashable, Sendable {
    /// One series is the fastest.
    case won(by: Name)
    /// The leader, then the series that are equivalent to it. All remaining series are slower than
    /// the leader.
    case tied([Name])
    /// The leader, then the series that are not known to be slower than the leader.
    case undecided([Name])
    /// There are fewer than two series.
    case none
  }

  /// A series that does not lead.
  public struct Rival: Hashable, Sendable {
    /// The series.
    public let name: Name
    /// The verdict on this series, compared with the leader.
    public let judgment: Judgment
  }

  /// The leading series; `nil` if there are no series.
  public let leader: Name?
  /// The other series, each compared with the leader, in ascending order of their ratios to it.
  public let others: [Rival]

  /// The result, which may be only about one session.
  public var outcome: Outcome { outcome(by: \.verdict) }

  /// The result that applies to other sessions too: undecided between the series that were compared
  /// with the leader in one session.
  public var generalOutcome: Outcome { outcome(by: \.generalVerdict) }

  /// Whether the result is only about one session; see `RatioEstimate.Scope`.
  public var isIndicative: Bool { others.contains { $0.judgment.isIndicative } }

  /// The series that are undecided, but whose figures are more than twice the leader's.
  public var outOfRange: [Name] { others.filter(\.judgment.isOutOfRange).map(\.name) }

  /// The ratio of the second series to the leader; `nil` if there is none.
  public var margin: RatioEstimate? { others.first?.judgment.estimate }

  /// Compares series in a metric of which smaller values are better.
  ///
  /// Traps if a name repeats.
  ///
  /// - Parameters:
  ///   - entrants: The series. Of two with equal figures, the earlier one leads.
  ///   - rule: The rule of the verdicts.
  public init(_ entrants: [(name: Name, values: SessionValues)], by rule: VerdictRule = .init()) {
    guard Set(entrants.map(\.name)).count == entrants.count else {
      fatalError("two series of a contest have the same name; pass unique names")
    }
    // A winner is one that no other undercuts. If the entrants have different sessions, ratios of
    // pairs can contradict each other and leave no such one.
    let order = entrants.indices.sorted {
      (entrants[$0].values.figure, $0) < (entrants[$1].values.figure, $1)
    }
    func ratio(_ one: Int, _ other: Int) -> Double {
      RatioEstimate(of: entrants[one].values, to: entrants[other].values).ratio
    }
    let leading = order.first { one in order.allSatisfy { one == $0 || ratio(one, $0) <= 1 } }
    guard let first = leading ?? order.first else {
      (leader, others) = (nil, [])
      return
    }
    func judgment(on index: Int, over leader: Int) -> Judgment {
      rule.judgment(on: entrants[index].values, over: entrants[leader].values)
    }
    // Of those that may be the fastest, the one with the least figure is the best: others are
    // compared with it, so that none with more than twice its figure passes for similar.
    let lead = order.first { $0 == first || judgment(on: $0, over: first).verdict != .slower }!
    leader = entrants[lead].name
    others = order.filter { $0 != lead }.map { index in
      Rival(name: entrants[index].name, judgment: judgment(on: index, over: lead))
    }.sorted { $0.judgment.estimate.ratio < $1.judgment.estimate.ratio }
  }

  /// Whether another series is known to be faster than `name`, over sessions.
  public func loses(_ name: Name) -> Bool {
    others.contains { $0.name == name && $0.judgment.generalVerdict == .slower }
  }

  private func outcome(by verdict: (Judgment) -> Verdict) -> Outcome {
    guard let leader, !others.isEmpty else { return .none }
    let close = others.filter { verdict($0.judgment) != .slower }
    guard !close.isEmpty else { return .won(by: leader) }
    let names = [leader] + close.map(\.name)
    return close.allSatisfy { verdict($0.judgment) == .equivalent }
      ? .tied(names) : .undecided(names)
  }
}

/// What several contests decide together: the series to use. The page and `choose` print it.
public struct Decision<Name: Hashable & Sendable>: Hashable, Sendable {
  /// The series that wins the most contests over sessions; of equal ones, the one that wins first.
  /// `nil` if none wins: no difference is decided, and the standard series remains the choice.
  public let winner: Name?
  /// The contests that `winner` wins; empty without one.
  public let won: [Int]
  /// The contests in which the winner or, without one, the standard series is known to be slower
  /// than the leader.
  public let lost: [Int]

  /// Decides between the series of contests, by their general outcomes alone: a series that is not
  /// known to be slower gains nothing from that.
  ///
  /// - Parameters:
  ///   - contests: The contests, which `won` and `lost` name by their positions.
  ///   - standard: The series to use unless another one wins; `nil` if it was not measured.
  public init(of contests: [Contest<Name>], standard: Name?) {
    let winners = contests.map { contest -> Name? in
      if case .won(let name) = contest.generalOutcome { name } else { nil }
    }
    func wins(of name: Name) -> [Int] { winners.indices.filter { winners[$0] == name } }
    let winner = winners.compactMap(\.self).reduce(nil as Name?) { best, name in
      best.map { wins(of: $0).count >= wins(of: name).count } == true ? best : name
    }
    self.winner = winner
    won = winner.map(wins) ?? []
    let choice = winner ?? standard
    lost = contests.indices.filter { place in choice.map(contests[place].loses) ?? false }
  }
}

/// The rule by which a run stops measuring a comparison before its time is over.
///
/// After each session, a comparison gets no more trials if it is decided with a confidence of
/// 99.5 %. Tables decide with 95 %, so a comparison that has stopped stays decided. Repeated tests
/// find differences by chance, so interim tests use a stricter level (Haybittle, "Repeated
/// assessment of results in clinical trials", 1971).
///
/// The rule decides only which series are measured again. The values of a session do not depend on
/// it, and none is discarded. On average, runs that stop early overestimate a difference, and runs
/// that stop late underestimate it. `benchlab verdicts --simulate` prints the net bias for two
/// series, and how often verdicts are false.
public enum StoppingRule {
  private static let rule = VerdictRule(confidence: 0.995)

  /// Returns the series of a comparison to measure again: the leader, and those not known to be
  /// slower. Returns no series if the comparison is decided, and all series after one session.
  ///
  /// A series that was left out is measured again if another series becomes the leader.
  public static func open<Name: Hashable & Sendable>(
    _ entrants: [(name: Name, values: SessionValues)]
  ) -> [Name] {
    let contest = Contest(entrants, by: rule)
    if contest.isIndicative { return entrants.map(\.name) }
    if case .undecided(let names) = contest.outcome { return names }
    return []
  }
}
