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
