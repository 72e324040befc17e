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
