/// A group of a trial's workers with a common task.
public struct Role: Hashable, Codable, Sendable {
  /// The numbers of workers that one role, and all roles of a trial together, may have.
  public static let allowedWorkers = 1...1024

  /// The task of the workers.
  public let kind: RoleKind
  /// The number of workers.
  public let workers: Int

  /// Creates a role for `workers` workers.
  ///
  /// - Throws: `WorkloadError.workersOutOfRange` if the number is not in `allowedWorkers`.
  public init(_ kind: RoleKind, workers: Int) throws(WorkloadError) {
    guard Self.allowedWorkers.contains(workers) else {
      throw .workersOutOfRange("\(workers)")
    }
    self.kind = kind
    self.workers = workers
  }

  /// The name of the role, as on the command line and in CSV.
  public var name: String { kind.rawValue }
}

extension Role: CustomStringConvertible {
  /// The name and the number of workers: `reader=3`.
  public var description: String { "\(name)=\(workers)" }

  /// Returns `roles` as text such as `reader=3 writer=1`, which `roles(parsing:)` reads.
  ///
  /// The separator is a space, because CSV would have to quote a comma.
  public static func text(of roles: [Role]) -> String {
    roles.map(\.description).joined(separator: " ")
  }

  /// Returns the roles listed in `text`, such as `reader=3,writer=1,dropper=1`.
  ///
  /// The result is in the order of `RoleKind`, so that equal lists are equal values.
  ///
  /// - Parameter text: `role=workers` pairs in any order, each role at most once, separated by
  ///   commas or spaces.
  /// - Throws: `WorkloadError` if a pair is malformed, a role is unknown or repeated, or a number
  ///   of workers is out of range.
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
/// | dropper | adds a new object and releases its oldest, which dies | removes drawn keys |
/// | iterator | takes snapshots | iterates over all entries |
///
/// The order of the cases is the order of roles in texts and tables, and of the workers.
public enum RoleKind: String, CaseIterable, Codable, Sendable {
  /// Searches for objects or keys.
  case reader
  /// Adds and removes objects, or sets keys.
  case writer
  /// Compacts, or updates keys.
  case updater
  /// Lets objects die, or removes keys.
  case dropper
  /// Takes snapshots, or iterates over all entries.
  case iterator

  /// Returns the workload that every worker of this role runs; it has the role's name.
  package func work(for subject: WorkloadSubject) -> Workload {
    Workload(
      rawValue, subject: subject, mix: mix(for: subject), behavior: behavior(for: subject),
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

  private func behavior(for subject: WorkloadSubject) -> Workload.Behavior {
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
    case (.dropper, _): "Adds new objects and releases them, so that they die while others read."
    case (.iterator, .dictionary): "Iterates over all entries."
    case (.iterator, _): "Takes snapshots of all objects."
    }
  }
}

extension Workload {
  /// The name of every workload whose workers have roles.
  public static let rolesName = "roles"

  /// Returns a workload whose workers have several roles on one collection.
  ///
  /// Its mix is the mean of the roles' mixes, weighted by workers. The actual shares of the
  /// operations depend on the speed of each role's workers.
  ///
  /// - Parameters:
  ///   - roles: At least one role, none of them twice; traps otherwise.
  ///   - subject: The abstract type of the collection.
  public static func roles(_ roles: [Role], for subject: WorkloadSubject) -> Workload {
    guard !roles.isEmpty else { fatalError("the list of roles is empty; pass at least one role") }
    guard Set(roles.map(\.kind)).count == roles.count else {
      fatalError("a role appears twice in '\(Role.text(of: roles))'; list each role at most once")
    }
    let mixes = roles.map { (mix: $0.kind.work(for: subject).mix, weight: $0.workers) }
    return Workload(
      rolesName, subject: subject, mix: .mean(of: mixes), summary: "\(Role.text(of: roles)).",
      roles: roles)
  }

  /// The number of workers, or `nil` if the workload has no roles and runs with any number.
  public var workers: Int? {
    roles.isEmpty ? nil : roles.reduce(0) { $0 + $1.workers }
  }

  /// Returns the role of worker `index`, or `nil` if the workload has no roles or fewer workers.
  ///
  /// - Parameter index: The number of the worker, from 0, counted across all roles.
  package func role(ofWorker index: Int) -> Role? {
    var first = 0
    for role in roles {
      first += role.workers
      if index < first { return role }
    }
    return nil
  }

  /// Returns the workload that worker `index` runs.
  package func work(ofWorker index: Int) -> Workload {
    role(ofWorker: index)?.kind.work(for: subject) ?? self
  }

  /// Returns how many of the entries the droppers add themselves.
  ///
  /// The prefill omits these entries.
  func entriesOfDroppers(forEntries entries: Int) -> Int {
    guard let workers else { return 0 }
    let droppers = roles.filter { $0.kind.work(for: subject).behavior == .churning }
      .reduce(0) { $0 + $1.workers }
    return droppers == workers ? entries : entries / workers * droppers
  }
}
