/// A requirement or a target for the collections.
public struct Limit: Hashable, Sendable {
  /// The name in kebab-case, by which `--only` selects limits. Several limits may share one name.
  public var name: String
  /// The compared quantities, as a phrase.
  public var statement: String
  /// The quantity to bound.
  public var quantity: Quantity
  /// The requirement, or `nil` if there is none.
  public var requirement: Bound?
  /// The target, or `nil` if there is none.
  public var target: Bound?

  /// Creates a limit; without bounds, the quantity is only reported.
  public init(
    _ name: String, _ statement: String, _ quantity: Quantity, requirement: Bound? = nil,
    target: Bound? = nil
  ) {
    self.name = name
    self.statement = statement
    self.quantity = quantity
    self.requirement = requirement
    self.target = target
  }
}

/// The bound of a ratio or an amount.
public enum Bound: Hashable, Sendable {
  /// The value must be less than or equal to the bound.
  case atMost(Double)
  /// The value must be greater than or equal to the bound.
  case atLeast(Double)
  /// The value must be greater than the bound.
  case above(Double)

  /// Returns whether `value` meets the bound.
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
  /// The median of one figure.
  case figure(Figure)
  /// The first quantity divided by the second.
  case ratio(Quantity, to: Quantity)
  /// The first quantity minus the second.
  case difference(Quantity, less: Quantity)

  /// Returns the quantity's value in a run.
  ///
  /// - Returns: `nil` if one of its figures was not measured, or if the denominator of a ratio is
  ///   0.
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

  /// The figures of the quantity, in the order in which they appear in it.
  public var figures: [Figure] {
    switch self {
    case .figure(let figure): [figure]
    case .ratio(let first, let second), .difference(let first, let second):
      first.figures + second.figures
    }
  }
}

/// The position of a figure in the tables of a run: its table, row and column.
public struct Figure: Hashable, Sendable {
  /// The table, such as `dictionary`.
  public var table: String
  /// The row: a contestant, or a loop to compare with.
  public var row: String
  /// The column: the operation or the workload.
  public var column: String

  /// Creates the position of a figure.
  public init(_ table: String, _ row: String, _ column: String) {
    self.table = table
    self.row = row
    self.column = column
  }
}

/// The trials of a run, by figure. A figure without trials was not measured.
public struct FigureTrials: Sendable {
  /// The value of each trial, by figure.
  public private(set) var values: [Figure: [Double]] = [:]

  /// Creates an empty collection of trials.
  public init() {}

  /// Adds the value of one trial.
  public mutating func add(_ value: Double, to figure: Figure) {
    values[figure, default: []].append(value)
  }

  /// Returns the median of the figure's trials, or `nil` if it was not measured.
  public func median(of figure: Figure) -> Double? {
    values[figure].flatMap(Statistics.median)
  }
}

/// The verdict of a run on one limit.
public struct LimitVerdict: Hashable, Sendable {
  /// Whether a value meets its bound.
  public enum Outcome: String, CaseIterable, Sendable {
    /// The value meets the bound.
    case met
    /// The value does not meet the bound.
    case missed
    /// A figure of the limit was not measured.
    case notMeasured = "not-measured"
  }

  /// The limit.
  public let limit: Limit
  /// The measured value, or `nil` if a figure was not measured.
  public let value: Double?

  /// Judges `limit` by the trials of a run.
  public init(_ limit: Limit, _ trials: FigureTrials) {
    self.limit = limit
    value = limit.quantity.value(in: trials)
  }

  /// The verdict on the requirement, or `nil` if the limit has none.
  public var requirement: Outcome? { outcome(limit.requirement) }
  /// The verdict on the target, or `nil` if the limit has none.
  public var target: Outcome? { outcome(limit.target) }

  private func outcome(_ bound: Bound?) -> Outcome? {
    guard let bound else { return nil }
    guard let value else { return .notMeasured }
    return bound.isMet(by: value) ? .met : .missed
  }
}

extension Sequence<LimitVerdict> {
  /// The verdict on all requirements: missed if one is missed, otherwise not measured if one was
  /// not measured, otherwise met.
  public var requirement: LimitVerdict.Outcome {
    let standings = compactMap(\.requirement)
    if standings.contains(.missed) { return .missed }
    return standings.contains(.notMeasured) ? .notMeasured : .met
  }
}
