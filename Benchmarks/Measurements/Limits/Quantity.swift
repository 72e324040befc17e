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
