/// A requirement or a target of the collections.
public struct Limit: Hashable, Sendable {
  /// In kebab-case: `--only` selects by it. Several limits may share one.
  public var name: String
  /// What is compared with what.
  public var statement: String
  public var quantity: Quantity
  /// `nil` where it is only shown, or only aimed at.
  public var must: Bound?
  public var aim: Bound?

  public init(
    _ name: String, _ statement: String, _ quantity: Quantity, must: Bound? = nil,
    aim: Bound? = nil
  ) {
    self.name = name
    self.statement = statement
    self.quantity = quantity
    self.must = must
    self.aim = aim
  }
}

/// The bound of a ratio or an amount.
public enum Bound: Hashable, Sendable {
  case atMost(Double)
  case atLeast(Double)
  case above(Double)

  public func isMet(by value: Double) -> Bool {
    switch self {
    case .atMost(let bound): value <= bound
    case .atLeast(let bound): value >= bound
    case .above(let bound): value > bound
    }
  }
}

/// The quantity that a limit bounds, computed from the medians of figures of one run.
public indirect enum Quantity: Hashable, Sendable {
  case figure(Figure)
  case ratio(Quantity, to: Quantity)
  case difference(Quantity, less: Quantity)

  /// `nil` if one of its figures was not measured, and for a ratio to zero.
  public func value(in trials: FigureTrials) -> Double? {
    switch self {
    case .figure(let figure): return trials.median(of: figure)
    case .ratio(let part, let whole):
      guard let part = part.value(in: trials), let whole = whole.value(in: trials), whole != 0
      else { return nil }
      return part / whole
    case .difference(let larger, let smaller):
      guard let larger = larger.value(in: trials), let smaller = smaller.value(in: trials)
      else { return nil }
      return larger - smaller
    }
  }

  /// Its figures, in reading order.
  public var figures: [Figure] {
    switch self {
    case .figure(let figure): [figure]
    case .ratio(let first, let second), .difference(let first, let second):
      first.figures + second.figures
    }
  }
}

/// The position of a figure in the tables that are measured for the limits.
public struct Figure: Hashable, Sendable {
  /// The table, such as `dictionary`.
  public var table: String
  /// Who or what is measured: a contestant or a loop to compare with.
  public var row: String
  /// At what.
  public var column: String

  public init(_ table: String, _ row: String, _ column: String) {
    self.table = table
    self.row = row
    self.column = column
  }
}

/// The trials of a run, by figure. A figure without trials was not measured.
public struct FigureTrials: Sendable {
  public private(set) var values: [Figure: [Double]] = [:]

  public init() {}

  public mutating func add(_ value: Double, to figure: Figure) {
    values[figure, default: []].append(value)
  }

  /// `nil` where nothing was measured.
  public func median(of figure: Figure) -> Double? {
    values[figure].flatMap(Statistics.median)
  }
}

/// The verdict of a run on one limit.
public struct LimitVerdict: Hashable, Sendable {
  /// Whether a bound is kept.
  public enum Standing: String, CaseIterable, Sendable {
    case met, missed
    /// A figure of the limit was not measured.
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
  /// The verdict on all requirements: missed if one is missed, else not measured if one was not measured.
  public var must: LimitVerdict.Standing {
    let standings = compactMap(\.must)
    if standings.contains(.missed) { return .missed }
    return standings.contains(.notMeasured) ? .notMeasured : .met
  }
}
