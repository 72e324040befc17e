/// What a run says of one limit.
public struct LimitVerdict: Hashable, Sendable {
  /// Whether a bound is kept.
  public enum Standing: String, CaseIterable, Sendable {
    case met, missed
    /// What it rests on was not measured: neither met nor missed.
    case notMeasured = "not-measured"
  }

  public let limit: Limit
  /// `nil` where a figure is missing.
  public let value: Double?

  public init(_ limit: Limit, _ trials: FigureTrials) {
    self.limit = limit
    value = limit.quantity.value(in: trials)
  }

  /// `nil` where there is nothing to keep.
  public var must: Standing? { standing(limit.must) }
  public var aim: Standing? { standing(limit.aim) }

  private func standing(_ bound: Bound?) -> Standing? {
    guard let bound else { return nil }
    guard let value else { return .notMeasured }
    return bound.isMet(by: value) ? .met : .missed
  }
}

extension Sequence<LimitVerdict> {
  /// What all musts come to: one that is missed counts more than one that was not measured.
  public var must: LimitVerdict.Standing {
    let standings = compactMap(\.must)
    if standings.contains(.missed) { return .missed }
    return standings.contains(.notMeasured) ? .notMeasured : .met
  }
}
