/// A summary of the repeated trials of one series.
public struct Summary: Hashable, Sendable {
  /// The series.
  public let series: Series
  /// The time per operation of each trial, by session.
  public let nanosecondsPerOperation: SessionValues
  /// The median time per operation, over the medians of the full sessions.
  ///
  /// For a series that no full session measured, the median is over all its sessions; see
  /// `SessionValues.fullSessions(of:)`.
  public var medianNanosecondsPerOperation: Double { nanosecondsPerOperation.figure }
  /// The time per operation of the fastest trial.
  public let minNanosecondsPerOperation: Double
  /// The time per operation of the slowest trial.
  public let maxNanosecondsPerOperation: Double
  /// The throughput at the median time per operation.
  public let medianOperationsPerSecond: Double

  /// The number of trials.
  public var trials: Int { nanosecondsPerOperation.trials }
  /// The number of sessions that ran these trials.
  public var sessions: Int { nanosecondsPerOperation.sessions.count }

  /// Whether the slowest trial took more than twice as long as the fastest one.
  public var isScattered: Bool { maxNanosecondsPerOperation > 2 * minNanosecondsPerOperation }

  /// The symbol that tables print beside a scattered series; empty for the others.
  public var scatterSymbol: String { isScattered ? "~" : "" }

  /// Returns one summary per series, in the order in which the series first appear.
  public static func summaries(of measurements: [Measurement]) -> [Summary] {
    var order: [Series] = []
    var trials: [Series: [Measurement]] = [:]
    for measurement in measurements {
      let series = Series(of: measurement)
      if trials[series] == nil { order.append(series) }
      trials[series, default: []].append(measurement)
    }
    let full = Series.fullSessions(of: measurements)
    return order.compactMap { series in
      Summary(
        series: series, trials: trials[series, default: []],
        compared: full[series.contest, default: []])
    }
  }

  /// Returns the summaries that compete with each other, a list for each contest.
  ///
  /// Only backends of this package compete, and only if their series differ in nothing else: series
  /// of different workloads, machines or commits are in different contests. An open loop has no
  /// ranking, because every backend starts the same number of operations.
  public static func contests(of summaries: [Summary]) -> [[Summary]] {
    let subjects = summaries.filter {
      $0.series.kind == .subject && $0.series.configuration.pace.mode == .closed
    }
    return Dictionary(grouping: subjects.enumerated(), by: \.element.series.contest).values
      .sorted { $0[0].offset < $1[0].offset }.map { $0.map(\.element) }
  }

  /// Summarizes `trials`, or returns `nil` if there are none.
  ///
  /// - Parameter compared: The sessions over which medians are taken.
  private init?(series: Series, trials: [Measurement], compared: Set<Measurement.Session>) {
    let times = trials.map(\.throughput.nanosecondsPerOperation)
    guard
      let values = SessionValues(zip(trials, times).map { ($0.session, $1) }),
      let min = times.min(), let max = times.max(),
      let rates = SessionValues(trials, .operationsPerSecond)
    else { return nil }
    self.series = series
    nanosecondsPerOperation = values.compared(over: compared)
    minNanosecondsPerOperation = min
    maxNanosecondsPerOperation = max
    medianOperationsPerSecond = rates.compared(over: compared).figure
  }
}

extension StoppingRule {
  /// Returns the series of `rows` to measure again, of all comparisons between backends.
  public static func open(in rows: [Measurement]) -> Set<Series> {
    let contests = Summary.contests(of: Summary.summaries(of: rows))
    return Set(
      contests.flatMap { summaries in
        open(summaries.map { (name: $0.series, values: $0.nanosecondsPerOperation) })
      })
  }
}

/// The common properties of repeated trials; trials of one series are summarized together.
public struct Series: Hashable, Sendable {
  /// The kind of contestant.
  public var kind: Measurement.Kind
  /// The machine, the toolchain and the commit.
  public var environment: Measurement.Environment
  /// The experiment.
  public var configuration: Measurement.Configuration

  /// Creates the series that `measurement` belongs to.
  public init(of measurement: Measurement) {
    kind = measurement.identity.kind
    environment = measurement.environment
    configuration = measurement.configuration
  }

  /// The series without its backend: equal for all series that compete with each other.
  public var contest: Series {
    var contest = self
    contest.configuration.backend = ""
    return contest
  }

  /// Returns the full sessions of each contest; see `SessionValues.fullSessions(of:)`.
  public static func fullSessions(
    of measurements: [Measurement]
  ) -> [Series: Set<Measurement.Session>] {
    Dictionary(grouping: measurements) { Series(of: $0).contest }.mapValues { rows in
      let backends = Dictionary(grouping: rows, by: \.configuration.backend).values
      return SessionValues.fullSessions(of: backends.map { Set($0.map(\.session)) })
    }
  }
}

/// The mark of a backend in a table: its result in a contest.
public enum Mark: Hashable, Sendable {
  /// The backend is the fastest.
  case best
  /// The backend was the fastest in the only measured session.
  case bestInSession
  /// The backend may be the fastest: the values are inconclusive, or it is equivalent to the
  /// leader.
  case contender
  /// The interval does not show that the backend is slower, but its median is more than twice the
  /// best.
  case outOfRange
  /// The backend is not the fastest, or was not compared.
  case none

  /// Creates the mark of the contestant `name`.
  public init<Name>(of name: Name, in contest: Contest<Name>) {
    switch contest.outcome {
    case .won(by: name): self = contest.isIndicative ? .bestInSession : .best
    case .tied(let names), .undecided(let names):
      self =
        !names.contains(name) ? .none : contest.outOfRange.contains(name) ? .outOfRange : .contender
    case .won, .none: self = .none
    }
  }

  /// Returns the mark of each summary, in the same order.
  public static func marks(for summaries: [Summary]) -> [Mark] {
    var marks: [Series: Mark] = [:]
    for members in Summary.contests(of: summaries) {
      let contest = Contest(
        members.map { (name: $0.series, values: $0.nanosecondsPerOperation) })
      for member in members { marks[member.series] = Mark(of: member.series, in: contest) }
    }
    return summaries.map { marks[$0.series] ?? .none }
  }

  /// The symbol that tables print.
  public var symbol: String {
    switch self {
    case .best: "★"
    case .bestInSession: "☆"
    case .contender: "≈"
    case .outOfRange: "?"
    case .none: ""
    }
  }

  /// The meaning of the symbols, a line each.
  public static let legend = [
    "★ the fastest: every other backend is slower, by a 95 % interval over sessions. "
      + "☆ the fastest in the one session measured.",
    "≈ may be the fastest: not slower by the interval, or equivalent within 5 %.",
    "? undecided (range): not slower by the interval, but the median is more than twice the best.",
  ]
}
