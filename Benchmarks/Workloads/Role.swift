/// A group of a trial's workers with a common task.
public struct Role: Hashable, Codable, Sendable {
  public static let allowedWorkers = 1...1024

  public let kind: RoleKind
  public let workers: Int

  public init(_ kind: RoleKind, workers: Int) throws(WorkloadError) {
    guard Self.allowedWorkers.contains(workers) else {
      throw .workersOutOfRange("\(workers)")
    }
    self.kind = kind
    self.workers = workers
  }

  /// As on the command line and in CSV.
  public var name: String { kind.rawValue }
}

extension Role: CustomStringConvertible {
  public var description: String { "\(name)=\(workers)" }

  /// A text that `roles(parsing:)` reads: `reader=3 writer=1`, with no comma to be quoted in CSV.
  public static func text(of roles: [Role]) -> String {
    roles.map(\.description).joined(separator: " ")
  }

  /// Reads `reader=3,writer=1,dropper=1`: any order, each role at most once, spaces for commas; returns
  /// them in the order of `RoleKind`, so that the same roles are the same value.
  public static func roles(parsing text: String) throws(WorkloadError) -> [Role] {
    guard text.contains(where: { $0 != " " }) else { throw .emptyRoles }
    var roles: [RoleKind: Role] = [:]
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).flatMap { part in
      let parts = part.split(separator: " ")
      return parts.isEmpty ? [""] : parts
    }
    for part in parts {
      let role = try Role(parsing: String(part))
      guard roles.updateValue(role, forKey: role.kind) == nil else {
        throw .repeatedRole(role.kind)
      }
    }
    let workers = roles.values.reduce(0) { $0 + $1.workers }
    guard allowedWorkers.contains(workers) else { throw .workersOutOfRange("\(workers)") }
    return RoleKind.allCases.compactMap { roles[$0] }
  }

  private init(parsing part: String) throws(WorkloadError) {
    let sides = part.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
    guard sides.count == 2, !sides[0].isEmpty else { throw .malformedRole(part) }
    guard let kind = RoleKind(rawValue: sides[0]) else { throw .unknownRole(sides[0]) }
    guard let workers = Int(sides[1]) else { throw .malformedRole(part) }
    try self.init(kind, workers: workers)
  }
}

/// The task of a role's workers; a closed set, so that a name always means the same operations.
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
    // With inserts alone the array would grow without bound.
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

extension Workload {
  /// The name of every workload whose workers have roles.
  public static let rolesName = "roles"

  /// Workers of several roles on one collection; its mix is the mean of theirs.
  ///
  /// How often an operation is really made depends on how fast a role's workers are.
  ///
  /// - Precondition: there is at least one role, and none twice.
  public static func roles(_ roles: [Role], for subject: WorkloadSubject) -> Workload {
    precondition(!roles.isEmpty, "a workload of roles has at least one")
    precondition(Set(roles.map(\.kind)).count == roles.count, "a workload has each role once")
    let mixes = roles.map { (mix: $0.kind.work(for: subject).mix, weight: $0.workers) }
    return Workload(
      rolesName, subject: subject, mix: .mean(of: mixes), summary: "\(Role.text(of: roles)).",
      roles: roles)
  }

  /// How many workers there are; `nil` where any number may do the same.
  public var workers: Int? {
    roles.isEmpty ? nil : roles.reduce(0) { $0 + $1.workers }
  }

  /// The role of one of the workers, who are numbered through from 0; `nil` where all do the same.
  public func role(ofWorker index: Int) -> Role? {
    var first = 0
    for role in roles {
      first += role.workers
      if index < first { return role }
    }
    return nil
  }

  /// What one of the workers does.
  public func work(ofWorker index: Int) -> Workload {
    role(ofWorker: index)?.kind.work(for: subject) ?? self
  }

  /// How many of `size` entries are objects that workers of a role make and let go, and so not there
  /// before they work.
  func entriesOfDroppers(forSize size: Int) -> Int {
    guard let workers else { return 0 }
    let droppers = roles.filter { $0.kind.work(for: subject).behaviour == .churning }
      .reduce(0) { $0 + $1.workers }
    return droppers == workers ? size : size / workers * droppers
  }
}
