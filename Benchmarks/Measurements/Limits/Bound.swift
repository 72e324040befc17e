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
