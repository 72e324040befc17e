/// That this platform or this runtime does not tell which classes a program declares.
public struct ClassesUnavailable: Error, Equatable {
  /// For people.
  public let reason: String
}

extension ClassesUnavailable: CustomStringConvertible {
  public var description: String {
    "the classes of a module cannot be enumerated here, so pass their list: \(reason)"
  }
}
