/// One group of a trial's workers, who do the same while others do something else.
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
