/// A defect planted in code that stays as it is: at the sites it names, operations have another
/// ordering.
public struct Weakening: Sendable, Hashable {
  /// As `#fileID` says it, or the name of the file alone.
  public var file: String
  /// As `#function` says it; nil for every function of the file.
  public var function: String?
  /// What is weakened; nil for every atomic operation of the function.
  public var kind: Step.Kind?
  public var ordering: Ordering

  /// Exchanges, whether or not they succeed, are of the kind `exchange`.
  public init(file: String, function: String?, kind: Step.Kind? = nil, ordering: Ordering) {
    self.file = file
    self.function = function
    self.kind = kind
    self.ordering = ordering
  }

  func matches(file: String, function: String, kind: Step.Kind) -> Bool {
    (file == self.file || file.hasSuffix("/" + self.file))
      && (self.function == nil || function == self.function)
      && (self.kind == nil || kind == self.kind)
  }
}
