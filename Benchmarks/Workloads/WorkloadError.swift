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

/// Suggests names for a mistyped one.
public enum NearMiss {
  /// The allowed names nearest to `name`, nearest first, at most three; empty if none is near.
  ///
  /// Near is at most one slip (a letter missing, added, changed, or two swapped) for every three
  /// letters of `name`, or a `name` that is the beginning of the allowed one. Case does not count.
  /// Names that take two slips more than the nearest are left out.
  public static func suggestions(for name: String, among allowed: [String]) -> [String] {
    let typed = Array(name.lowercased())
    guard !typed.isEmpty else { return [] }
    let tolerance = max(1, typed.count / 3)
    let near = allowed.enumerated().compactMap { position, candidate in
      rank(of: Array(candidate.lowercased()), typed: typed, tolerance: tolerance).map {
        (rank: $0, position: position, candidate: candidate)
      }
    }
    guard let nearest = near.map(\.rank).min() else { return [] }
    return near.filter { $0.rank <= nearest + 1 }
      .sorted { ($0.rank, $0.position) < ($1.rank, $1.position) }
      .prefix(3)
      .map(\.candidate)
  }

  /// The number of slips between the two, or `nil` if `candidate` is not near.
  private static func rank(of candidate: [Character], typed: [Character], tolerance: Int) -> Int? {
    let slips = distance(from: typed, to: candidate)
    if slips <= tolerance { return slips }
    // A single letter begins too many names to say anything.
    return typed.count > 1 && candidate.starts(with: typed) ? tolerance + 1 : nil
  }

  /// The optimal string alignment distance: insertions, deletions, substitutions and swaps of
  /// neighbours, none touching what another has touched.
  ///
  /// - Complexity: O(*n* × *m*).
  static func distance(from source: [Character], to target: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...target.count)
    for row in source.indices {
      var current = [row + 1]
      for column in target.indices {
        let substitution = last[column] + (source[row] == target[column] ? 0 : 1)
        var best = min(substitution, last[column + 1] + 1, current[column] + 1)
        let isSwap =
          row > 0 && column > 0
          && source[row] == target[column - 1] && source[row - 1] == target[column]
        if isSwap { best = min(best, beforeLast[column - 1] + 1) }
        current.append(best)
      }
      (beforeLast, last) = (last, current)
    }
    return last[target.count]
  }
}
