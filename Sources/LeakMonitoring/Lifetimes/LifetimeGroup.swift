/// The instances of all classes of a group.
final class LifetimeGroup: Sendable {
  let name: String
  /// How many may live; nil for any number.
  let max: Int?
  let count = BirthCount()
  /// For the history of the count: instances are in the records of their classes.
  let records = InstanceRecords()

  init(_ name: String, max: Int?) {
    self.name = name
    self.max = max
  }
}
