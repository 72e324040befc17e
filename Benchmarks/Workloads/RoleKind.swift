/// What the workers of a role do; a closed set, so that a name always means the same operations.
///
/// | Role | Weak array, weak set | Dictionary |
/// |---|---|---|
/// | reader | looks for a drawn object | looks up a drawn key |
/// | writer | adds and removes objects, in equal shares | sets drawn keys |
/// | updater | compacts | updates drawn keys, adding one |
/// | dropper | adds a new object and lets go of its oldest, which dies | removes drawn keys |
/// | iterator | takes snapshots | iterates over all entries |
///
/// The order of the cases is the order of roles in texts and tables, and of the workers.
public enum RoleKind: String, CaseIterable, Codable, Sendable {
  case reader
  case writer
  case updater
  case dropper
  case iterator

  /// A worker of this role does what all would do in this workload, which has the role's name.
  public func work(for subject: WorkloadSubject) -> Workload {
    Workload(
      rawValue, subject: subject, mix: mix(for: subject), behaviour: behaviour(for: subject),
      summary: summary(for: subject))
  }

  private func mix(for subject: WorkloadSubject) -> OperationMix {
    switch (self, subject) {
    case (.reader, _): .shares(read: 100)
    // Who only appended would let the array grow for ever.
    case (.writer, .weakArray), (.writer, .weakSet): .shares(insert: 50, remove: 50)
    case (.writer, .dictionary): .shares(insert: 100)
    case (.updater, _): .shares(update: 100)
    case (.dropper, .weakArray), (.dropper, .weakSet): .shares(insert: 100)
    case (.dropper, .dictionary): .shares(remove: 100)
    case (.iterator, _): .shares(iterate: 100)
    }
  }

  private func behaviour(for subject: WorkloadSubject) -> Workload.Behaviour {
    self == .dropper && subject != .dictionary ? .churning : .steady
  }

  private func summary(for subject: WorkloadSubject) -> String {
    switch (self, subject) {
    case (.reader, .dictionary): "Looks up keys."
    case (.reader, _): "Looks for objects."
    case (.writer, .dictionary): "Sets keys."
    case (.writer, _): "Adds and removes objects that stay alive."
    case (.updater, .dictionary): "Updates keys, adding one."
    case (.updater, _): "Compacts."
    case (.dropper, .dictionary): "Removes keys."
    case (.dropper, _): "Adds new objects and lets go of them, so that they die while others read."
    case (.iterator, .dictionary): "Iterates over all entries."
    case (.iterator, _): "Takes snapshots of all objects."
    }
  }
}
