/// Something that the collections must, or are to, reach.
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

/// What a ratio or an amount is held against.
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

/// What a limit is about, computed from the medians of figures of one run.
public indirect enum Quantity: Hashable, Sendable {
  case figure(Figure)
  case ratio(Quantity, to: Quantity)
  case difference(Quantity, less: Quantity)

  /// `nil` if a figure that it rests on was not measured, and for a ratio to nothing.
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

  /// What it rests on, in the order in which it is read.
  public var figures: [Figure] {
    switch self {
    case .figure(let figure): [figure]
    case .ratio(let first, let second), .difference(let first, let second):
      first.figures + second.figures
    }
  }
}

/// One thing that is measured for the limits: its place in the tables of figures.
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

/// What the trials of a run gave for each figure. A figure without trials was not measured.
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
