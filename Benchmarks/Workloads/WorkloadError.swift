import Spelling

/// An error in a mix, workload, role, distribution or seed of the command line.
///
/// The description is one line that names the allowed values.
public enum WorkloadError: Error, Equatable {
  /// The text of a mix has no shares.
  case emptyMix
  /// The text is not of the form `operation=percent`.
  case malformedShare(String)
  /// No operation has this name.
  case unknownOperation(String)
  /// A mix lists this operation twice.
  case repeatedOperation(OperationKind)
  /// The share of an operation is not from 0 to 100.
  case shareOutOfRange(OperationKind, found: Int)
  /// The shares of a mix sum to another number than 100.
  case sharesDoNotSumTo100(found: Int)
  /// The abstract type has no workload of this name.
  case unknownWorkload(String, subject: WorkloadSubject)
  /// The text is not a whole number below `Seed.upperBound`.
  case malformedSeed(String)
  /// The text of a list of roles has no role.
  case emptyRoles
  /// The text is not of the form `role=workers`.
  case malformedRole(String)
  /// No role has this name.
  case unknownRole(String)
  /// A list of roles has this role twice.
  case repeatedRole(RoleKind)
  /// The number of workers is not in `Role.allowedWorkers`.
  case workersOutOfRange(String)
  /// No key distribution has this name.
  case unknownKeyDistribution(String)
  /// The distribution does not accept these parameters.
  case malformedKeyDistribution(String)
}

extension WorkloadError: CustomStringConvertible {
  /// One line that says what is wrong and lists the allowed values.
  public var description: String {
    switch self {
    case .emptyMix:
      "the mix is empty; write shares that sum to 100, such as \(Self.exampleMix)"
    case .malformedShare(let text):
      "'\(text)' is not a share; write operation=percent in whole numbers, such as "
        + Self.exampleMix
    case .unknownOperation(let name):
      "unknown operation '\(name)'" + Self.choices(for: name, among: Self.operationNames)
    case .repeatedOperation(let operation):
      "the mix has the operation '\(operation.rawValue)' twice; list each operation at most once "
        + "(allowed: \(Self.operationNames.joined(separator: ", ")))"
    case .shareOutOfRange(let operation, let found):
      "the share of '\(operation.rawValue)' is \(found); it must be a whole number from 0 to 100"
    case .sharesDoNotSumTo100(let found):
      "the shares sum to \(found); they must sum to 100, such as \(Self.exampleMix)"
    case .unknownWorkload(let name, let subject):
      "unknown workload '\(name)' for \(subject.rawValue)"
        + Self.choices(for: name, among: Workload.all(for: subject).map(\.name))
    case .malformedSeed(let text):
      "'\(text)' is not a seed; write a whole number from 0 to \(Seed.upperBound - 1)"
    case .emptyRoles:
      "the list of roles is empty; write the number of workers of each role, such as "
        + Self.exampleRoles
    case .malformedRole(let text):
      "'\(text)' is not a role; write role=workers in whole numbers, such as \(Self.exampleRoles)"
    case .unknownRole(let name):
      "unknown role '\(name)'" + Self.choices(for: name, among: RoleKind.allCases.map(\.rawValue))
    case .repeatedRole(let kind):
      "the list has the role '\(kind.rawValue)' twice; list each role at most once"
    case .workersOutOfRange(let found):
      "\(found) workers are not allowed; a role, and all roles together, may have 1 to "
        + "\(Role.allowedWorkers.upperBound)"
    case .unknownKeyDistribution(let name):
      "unknown distribution '\(name)'" + Self.choices(for: name, among: Self.distributionNames)
    case .malformedKeyDistribution(let text):
      "'\(text)' is not a distribution (allowed: "
        + KeyDistribution.standard.map(\.description).joined(separator: ", ")
        + "; theta 0.01 to 10, hot keys 1 to 99 %, their draws 0 to 100 %)"
    }
  }

  private static let exampleMix = "read=95,insert=3,remove=2"
  private static let exampleRoles = "reader=3,writer=1,dropper=1"

  private static var operationNames: [String] { OperationKind.allCases.map(\.rawValue) }

  private static var distributionNames: [String] { KeyDistribution.standard.map(\.name) }

  private static func choices(for name: String, among allowed: [String]) -> String {
    let meant = NearMiss.suggestions(for: name, among: allowed).joined(separator: " or ")
    let question = meant.isEmpty ? "" : "; did you mean \(meant)?"
    return "\(question) (allowed: \(allowed.joined(separator: ", ")))"
  }
}
