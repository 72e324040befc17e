/// What the keys and values of a dictionary are.
///
/// Three pairs and not all: each is compiled for every backend.
public enum EntryTypes: CaseIterable, Codable, Hashable, Sendable {
  case integerToInteger
  /// Strings of 23 bytes, as YCSB's, which a Swift string keeps in memory of its own.
  case stringToInteger
  /// Instances of a class, which readers retain.
  case integerToObject

  public enum Key: String, CaseIterable, Sendable {
    case int, string
  }

  public enum Value: String, CaseIterable, Sendable {
    case int, object
  }

  /// `nil` for pairs that are not compiled.
  public init?(key: Key, value: Value) {
    let pair = Self.allCases.first { $0.key == key && $0.value == value }
    guard let pair else { return nil }
    self = pair
  }

  public var key: Key {
    switch self {
    case .integerToInteger, .integerToObject: .int
    case .stringToInteger: .string
    }
  }

  public var value: Value {
    switch self {
    case .integerToInteger, .stringToInteger: .int
    case .integerToObject: .object
    }
  }
}
