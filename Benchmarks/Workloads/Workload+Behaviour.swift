extension Workload {
  /// What a worker does beyond drawing operations from the mix.
  public enum Behaviour: String, CaseIterable, Codable, Sendable {
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
    /// Every key is there: an insert sets the value of a key that has one.
    case replacing
    /// About half of the keys are there: of a worker's inserts every other is a removal.
    case turningOver
    /// An operation is what a leak monitor does for one object; see `meaning(of:)`.
    case monitoring
    /// An insert sets the key after the newest and removes the oldest; `SlidingWindow` says which.
    /// An iteration gets many keys at once.
    case sliding
    /// As churning, but a worker lets go of nothing until it has its part of the size, and then of all.
    case storming
    /// An insert removes the worker's oldest object and appends it again.
    case reregistering
    /// An insert appends a new object; an iteration is a `forEach` whose body lets go of the worker's
    /// oldest.
    case dying
  }
}

extension Workload {
  /// Whether its workers do nothing but draw operations from the mix, all the same, on entries that are alive.
  public var isPureMix: Bool { behaviour == .steady && deadShare == 0 && roles.isEmpty }
}

extension Workload.Behaviour {
  /// What a worker calls for `operation`, where that is not the operation's usual meaning.
  func meaning(of operation: OperationKind, for subject: WorkloadSubject) -> String? {
    switch (self, operation, subject) {
    case (.growing, .insert, .dictionary):
      "sets the value of a drawn key, nearly always a new one"
    case (.churning, .insert, .weakArray):
      "`append` of a new object, then lets go of this worker's oldest"
    case (.churning, .insert, .weakSet):
      "`insert` of a new object, then lets go of this worker's oldest"
    case (.notifying, .iterate, .weakArray):
      "`forEach`, calling a method of every element"
    case (.gettingOrInserting, .insert, .dictionary):
      "`value(forKey:orInsert:)` of a drawn key"
    case (.replacing, .insert, .dictionary):
      "sets the value of a drawn key, which has one"
    case (.turningOver, .insert, .dictionary):
      "sets the value of a drawn key or, every other time, removes it"
    case (.monitoring, .insert, .weakSet):
      "`insert` of a new object in one of sixteen sets, then lets go of this worker's oldest"
    case (.monitoring, .insert, .weakArray):
      "`append` of a new object, then `count`, then lets go of this worker's oldest"
    case (.monitoring, .update, .dictionary):
      "`value(forKey:orInsert:)` of a drawn key, then `update`, adding one and returning the count"
    default: meaningOfLifetime(of: operation, for: subject)
    }
  }

  private func meaningOfLifetime(
    of operation: OperationKind, for subject: WorkloadSubject
  ) -> String? {
    switch (self, operation, subject) {
    case (.sliding, .insert, .dictionary): "sets a new key, then removes the oldest"
    case (.sliding, .iterate, .dictionary):
      "`values(forKeys:)` of \(Workload.keysOfScan) neighbours of a drawn key"
    case (.storming, .insert, .weakArray):
      "`append` of a new object, then, if it has its part of the size, lets go of all of this worker's"
    case (.reregistering, .insert, .weakArray):
      "`remove`, then `append`, of the object that this worker appended longest ago"
    case (.dying, .insert, .weakArray):
      "`append` of a new object, then lets go of this worker's oldest beyond its part of the size"
    case (.dying, .iterate, .weakArray):
      "`forEach`, calling a method of every element, while the worker's oldest dies"
    default: nil
    }
  }
}
