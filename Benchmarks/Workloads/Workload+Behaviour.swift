extension Workload {
  /// What a worker does beyond drawing operations from the mix.
  public enum Behaviour: String, CaseIterable, Sendable {
    /// Nothing; the entries stay about as many as they were at the start.
    case steady
    /// The collection starts empty, nearly every inserted key is new, and it is emptied each time
    /// it has grown to `entryLimit(forSize:)`.
    case growing
    /// An insert appends a new object, and its worker then lets go of its oldest one beyond its
    /// part of the size, so that objects die while others append.
    case churning
    /// An iteration is a `forEach` that calls a method of every element.
    case notifying
    /// An insert is `value(forKey:orInsert:)`.
    case gettingOrInserting
    /// An operation is what a leak monitor does for one object; see `meaning(of:)`.
    case monitoring
  }
}

extension Workload.Behaviour {
  /// What a worker calls for `operation`, where that is not the operation's usual meaning.
  func meaning(of operation: OperationKind, for subject: WorkloadSubject) -> String? {
    switch (self, operation, subject) {
    case (.growing, .insert, .dictionary):
      "sets the value of a drawn key, nearly always a new one"
    case (.churning, .insert, .weakArray):
      "`append` of a new object, then lets go of this worker's oldest"
    case (.notifying, .iterate, .weakArray):
      "`forEach`, calling a method of every element"
    case (.gettingOrInserting, .insert, .dictionary):
      "`value(forKey:orInsert:)` of a drawn key"
    case (.monitoring, .insert, .weakArray):
      "`append` of a new object, then `count`, then lets go of this worker's oldest"
    case (.monitoring, .update, .dictionary):
      "`value(forKey:orInsert:)` of a drawn key, then `update`, adding one and returning the count"
    default: nil
    }
  }
}
