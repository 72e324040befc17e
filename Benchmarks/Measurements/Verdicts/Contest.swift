/// The comparison of several series that compete: which one is the fastest.
///
/// The leader is the series that no other one undercuts in a pairwise estimate. It wins if the
/// verdict on every other series is *slower*. Because all must be slower, a false winner is no more
/// likely than a false verdict in a comparison of two series.
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
  /// The result.
  public let outcome: Outcome

  /// Whether the result is only about one session; see `RatioEstimate.Scope`.
  public var isIndicative: Bool { others.contains { $0.judgment.isIndicative } }

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
    // The leader is the one that no other undercuts. If the entrants have different sessions,
    // ratios of pairs can contradict each other and leave no such one. Then the one with the least
    // figure leads.
    let order = entrants.indices.sorted {
      (entrants[$0].values.figure, $0) < (entrants[$1].values.figure, $1)
    }
    func ratio(_ one: Int, _ other: Int) -> Double {
      RatioEstimate(of: entrants[one].values, to: entrants[other].values).ratio
    }
    let leading = order.first { one in order.allSatisfy { one == $0 || ratio(one, $0) <= 1 } }
    guard let first = leading ?? order.first else {
      (leader, others, outcome) = (nil, [], .none)
      return
    }
    let lead = entrants[first]
    leader = lead.name
    let others = order.filter { $0 != first }.map { index in
      Rival(
        name: entrants[index].name,
        judgment: rule.judgment(on: entrants[index].values, over: lead.values))
    }.sorted { $0.judgment.estimate.ratio < $1.judgment.estimate.ratio }
    self.others = others
    outcome = Self.outcome(lead.name, others)
  }

  private static func outcome(_ leader: Name, _ others: [Rival]) -> Outcome {
    guard !others.isEmpty else { return .none }
    let close = others.filter { $0.judgment.verdict != .slower }
    guard !close.isEmpty else { return .won(by: leader) }
    let names = [leader] + close.map(\.name)
    return close.allSatisfy { $0.judgment.verdict == .equivalent }
      ? .tied(names) : .undecided(names)
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
