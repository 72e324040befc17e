import Spelling

/// An error in a mix, workload, role, distribution or seed of the command line.
///
/// The description is one line that names the allowed values.
public enum WorkloadError: Error, Equatable {
  case emptyMix
  case malformedShare(String)
  case unknownOperation(String)
  case repeatedOperation(OperationKind)
  case shareOutOfRange(OperationKind, found: Int)
  case sharesDoNotSumTo100(found: Int)
  case unknownWorkload(String, subject: WorkloadSubject)
  case malformedSeed(String)
  case emptyRoles
  case malformedRole(String)
  case unknownRole(String)
  case repeatedRole(RoleKind)
  case workersOutOfRange(String)
  case unknownKeyDistribution(String)
  case malformedKeyDistribution(String)
}

extension WorkloadError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .emptyMix:
      "the mix is empty; write shares that sum to 100, such as \(Self.exampleMix)"
    case .malformedShare(let text):
      "'\(text)' is no share; write operation=percent in whole numbers, such as \(Self.exampleMix)"
    case .unknownOperation(let name):
      "unknown operation '\(name)'" + Self.choices(for: name, among: Self.operationNames)
    case .repeatedOperation(let operation):
      "the operation '\(operation.rawValue)' is there twice; each may appear once: "
        + Self.operationNames.joined(separator: ", ")
    case .shareOutOfRange(let operation, let found):
      "the share of '\(operation.rawValue)' is \(found); a share is a whole number from 0 to 100"
    case .sharesDoNotSumTo100(let found):
      "the shares sum to \(found); they must sum to 100, such as \(Self.exampleMix)"
    case .unknownWorkload(let name, let subject):
      "unknown workload '\(name)' for \(subject.rawValue)"
        + Self.choices(for: name, among: Workload.all(for: subject).map(\.name))
    case .malformedSeed(let text):
      "'\(text)' is no seed; a seed is a whole number from 0 to \(Seed.upperBound - 1)"
    case .emptyRoles:
      "there is no role; write how many workers each has, such as \(Self.exampleRoles)"
    case .malformedRole(let text):
      "'\(text)' is no role; write role=workers in whole numbers, such as \(Self.exampleRoles)"
    case .unknownRole(let name):
      "unknown role '\(name)'" + Self.choices(for: name, among: RoleKind.allCases.map(\.rawValue))
    case .repeatedRole(let kind):
      "the role '\(kind.rawValue)' is there twice; each may appear once"
    case .workersOutOfRange(let found):
      "\(found) workers; a role, and all of them together, has from 1 to "
        + "\(Role.allowedWorkers.upperBound)"
    case .unknownKeyDistribution(let name):
      "unknown distribution '\(name)'" + Self.choices(for: name, among: Self.distributionNames)
    case .malformedKeyDistribution(let text):
      "'\(text)' is no distribution (allowed: "
        + KeyDistribution.standard.map(\.description).joined(separator: ", ")
        + "; θ from 0.01 to 10, of keys 1 to 99 %, of operations 0 to 100 %)"
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
