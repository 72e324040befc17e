/// How many instances of a class, and of a group of classes, may live at once.
public struct LifetimeConfiguration: Sendable, Equatable {
  /// For the class alone; nil for any number.
  public var max: Int?
  /// The name of the group that the class belongs to, if any.
  public var group: String?
  /// For all classes of the group together; nil for any number.
  public var groupMax: Int?

  /// Traps if there is a maximum for a group and no group.
  public init(max: Int? = 1, group: String? = nil, groupMax: Int? = nil) {
    precondition(groupMax == nil || group != nil, "expected the name of the group with its maximum")
    self.max = max
    self.group = group
    self.groupMax = groupMax
  }
}
