/// The values of one metric in the trials of one series, by session.
///
/// A session is one process that ran at one time on one machine. Its trials share the placement of
/// memory and the state of the machine, so they are not independent: two sessions of the same build
/// differ more than the trials of either.
public struct SessionValues: Hashable, Sendable {
  /// The values of each session, in the order of its trials. No list is empty.
  public let values: [Measurement.Session: [Double]]
  /// The sessions, in the order in which they first appear.
  public let sessions: [Measurement.Session]
  /// The metric, which determines how the values of several trials become one figure.
  private let metric: MetricColumn
  /// The sessions over which `figure` is taken, if the series has one of them.
  private var compared: Set<Measurement.Session> = []

  /// Collects the values of `metric`, or returns `nil` if no trial has one.
  public init?(_ trials: [Measurement], _ metric: MetricColumn) {
    self.init(
      trials.compactMap { trial in metric.value(in: trial).map { (trial.session, $0) } },
      of: metric)
  }

  /// Collects values, or returns `nil` if there are none.
  ///
  /// - Parameters:
  ///   - values: The values with their sessions, in the order of the trials.
  ///   - metric: The metric of the values.
  public init?(
    _ values: [(session: Measurement.Session, value: Double)],
    of metric: MetricColumn = .nanosecondsPerOperation
  ) {
    guard !values.isEmpty else { return nil }
    var order: [Measurement.Session] = []
    var bySession: [Measurement.Session: [Double]] = [:]
    for (session, value) in values {
      if bySession[session] == nil { order.append(session) }
      bySession[session, default: []].append(value)
    }
    sessions = order
    self.values = bySession
    self.metric = metric
  }

  /// The number of values.
  public var trials: Int { values.values.reduce(0) { $0 + $1.count } }

  /// The values of all sessions.
  public var all: [Double] { bySession.flatMap(\.self) }

  /// The values of each session, in the order of `sessions`.
  public var bySession: [[Double]] { sessions.map { values[$0, default: []] } }

  /// The figure of each session, in the order of `sessions`; see `MetricColumn.figure(of:)`.
  public var figures: [Double] { bySession.compactMap(metric.figure(of:)) }

  /// The figure of a session; `nil` if it has no trial of this series.
  public func figure(of session: Measurement.Session) -> Double? {
    values[session].flatMap(metric.figure(of:))
  }

  /// The figure of the compared sessions, by default all: the figure of the sessions' figures, so
  /// that each session has the same weight.
  public var figure: Double {
    let own = sessions.filter(compared.contains)
    return metric.figure(of: (own.isEmpty ? sessions : own).compactMap(figure(of:))) ?? 0
  }

  /// Returns the full sessions of series that compete: those of which no other one measured more of
  /// the series.
  ///
  /// The other sessions measured only some of the series again. If such a session is slow as a
  /// whole, a median that includes it would make its series look slower than the others.
  ///
  /// - Parameter series: The sessions of each series.
  public static func fullSessions(
    of series: some Sequence<Set<Measurement.Session>>
  ) -> Set<Measurement.Session> {
    let counts = series.joined().reduce(into: [Measurement.Session: Int]()) {
      $0[$1, default: 0] += 1
    }
    let most = counts.values.max()
    return Set(counts.filter { $0.value == most }.keys)
  }

  /// Returns these values with the figure over some sessions; over all if none of them has a value.
  ///
  /// Ratios and their intervals do not change.
  public func compared(over sessions: Set<Measurement.Session>) -> SessionValues {
    var values = self
    values.compared = sessions
    return values
  }
}
