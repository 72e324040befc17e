/// What a table shows beside a backend that was compared with others.
public enum Mark: Hashable, Sendable {
  /// It is the fastest, beyond what the trials vary.
  case best
  /// It may be the fastest; the trials do not tell.
  case contender
  /// It is not the fastest, or was not compared.
  case none

  public var symbol: String {
    switch self {
    case .best: "★"
    case .contender: "≈"
    case .none: ""
    }
  }
}
