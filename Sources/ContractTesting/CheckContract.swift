import WeakCollections

/// Checks that a dictionary keeps every contract of `ConcurrentDictionary`.
///
/// Call it in a test of Swift Testing or XCTest, or in a program:
///
/// ```swift
/// try await checkContract(of: YourDictionary<Int, Int>.self)
/// ```
///
/// All contracts can be checked if keys and values are `CountedObject`. With most other types, the
/// contracts about release and about keys with equal hashes cannot be checked. If no contract is
/// broken, the function prints one line: how many contracts it checked, and what the others need.
/// The report has their names.
///
/// - Parameters:
///   - type: A dictionary whose keys and values can be made from numbers; see `ContractItem`. It
///     may be an actor.
///   - options: The seed, the number of operations and the time limit of each check.
/// - Returns: The contracts that were checked and those that were not.
/// - Throws: `BrokenContract` if a contract is broken, or if no contract can be checked.
@discardableResult
public func checkContract<D: ConcurrentDictionary & Sendable>(
  of type: D.Type, options: ContractOptions = ContractOptions()
) async throws(BrokenContract) -> ContractReport
where D.Key: ContractItem, D.Value: ContractItem {
  try await check(Contract<D>.all, options)
}

/// Checks that a weak array keeps every contract of `ConcurrentWeakArray`.
///
/// ```swift
/// try await checkContract(of: YourWeakArray<CountedObject>.self)
/// ```
///
/// - Parameters:
///   - type: A weak array of `CountedObject`, of `AnyObject`, or of a protocol to which the test
///     lets `CountedObject` conform. It may be an actor.
///   - options: The seed, the number of operations and the time limit of each check.
/// - Returns: The contracts that were checked and those that were not.
/// - Throws: `BrokenContract` if a contract is broken, or if no contract can be checked.
@discardableResult
public func checkContract<A: ConcurrentWeakArray & Sendable>(
  of type: A.Type, options: ContractOptions = ContractOptions()
) async throws(BrokenContract) -> ContractReport {
  try await check(Contract<A>.all, options)
}

/// Checks that a weak set keeps every contract of `ConcurrentWeakSet`.
///
/// ```swift
/// try await checkContract(of: YourWeakSet<CountedObject>.self)
/// ```
///
/// - Parameters:
///   - type: A weak set of `CountedObject`, of `AnyObject`, or of a protocol to which the test lets
///     `CountedObject` conform. It may be an actor.
///   - options: The seed, the number of operations and the time limit of each check.
/// - Returns: The contracts that were checked and those that were not.
/// - Throws: `BrokenContract` if a contract is broken, or if no contract can be checked.
@discardableResult
public func checkContract<S: ConcurrentWeakSet & Sendable>(
  of type: S.Type, options: ContractOptions = ContractOptions()
) async throws(BrokenContract) -> ContractReport {
  try await check(Contract<S>.all, options)
}

/// Checks that a dictionary with weak values keeps every contract of
/// `ConcurrentWeakValueDictionary`.
///
/// ```swift
/// try await checkContract(of: YourInterner<String, CountedObject>.self)
/// ```
///
/// - Parameters:
///   - type: A dictionary whose keys can be made from numbers, see `ContractItem`, and whose values
///     are `CountedObject`, `AnyObject`, or a protocol to which the test lets `CountedObject`
///     conform.
///   - options: The seed, the number of operations and the time limit of each check.
/// - Returns: The contracts that were checked and those that were not.
/// - Throws: `BrokenContract` if a contract is broken, or if no contract can be checked.
@discardableResult
public func checkContract<D: ConcurrentWeakValueDictionary & Sendable>(
  of type: D.Type, options: ContractOptions = ContractOptions()
) async throws(BrokenContract) -> ContractReport where D.Key: ContractItem {
  try await check(Contract<D>.all, options)
}

/// The number of checks that may exceed the time limit before the remaining ones are skipped. The
/// threads of abandoned checks still run.
private let mostAbandonedChecks = 3

private func check<Subject>(
  _ contracts: [Contract<Subject>], _ options: ContractOptions
) async throws(BrokenContract) -> ContractReport {
  var report = ContractReport(type: "\(Subject.self)", seed: options.seed)
  var breaches: [ContractBreach] = []
  var abandoned = 0
  for contract in contracts {
    if let need = contract.need {
      report.unchecked.append(.init(contract: contract.name, reason: need.description))
    } else if abandoned == mostAbandonedChecks {
      report.unchecked.append(
        .init(
          contract: contract.name,
          reason: "threads that the \(abandoned) checks that never returned still occupy"))
    } else {
      let run = await contract.finishedRun(options)
      report.checked.append(contract.name)
      breaches += run.breaches
      if !run.hasReturned { abandoned += 1 }
    }
  }
  guard !breaches.isEmpty || report.checked.isEmpty else {
    print(report.summary)
    return report
  }
  throw BrokenContract(report: report, breaches: breaches)
}

/// What `checkContract(of:)` checked.
public struct ContractReport: Sendable, CustomStringConvertible {
  /// A contract that was not checked.
  public struct Unchecked: Hashable, Sendable {
    /// The name of the contract.
    public let contract: String
    /// What its check needs.
    public let reason: String
  }

  /// The name of the type that was checked.
  public let type: String
  /// The seed; `ContractOptions(seed:)` repeats the random choices.
  public let seed: UInt64
  /// The names of the contracts that were checked.
  public internal(set) var checked: [String] = []
  /// The contracts that were not checked.
  public internal(set) var unchecked: [Unchecked] = []

  /// One line: the number of contracts that were checked, and what the others need.
  public var summary: String {
    let kept = "\(type): checked \(checked.count) contracts, seed \(seed)"
    guard !unchecked.isEmpty else { return kept }
    let needs = reasons.map { reason, contracts in "\(contracts.count) need \(reason)" }
    return "\(kept); did not check \(unchecked.count): \(needs.joined(separator: "; "))"
  }

  /// The summary and the names of all contracts.
  public var description: String {
    var lines = [summary] + checked.map { "  checked: \($0)" }
    for (reason, contracts) in reasons {
      lines.append("  not checked, because they need \(reason):")
      lines += contracts.map { "    \($0)" }
    }
    return lines.joined(separator: "\n")
  }

  private var reasons: [(reason: String, contracts: [String])] {
    Dictionary(grouping: unchecked, by: \.reason)
      .map { ($0.key, $0.value.map(\.contract)) }
      .sorted { $0.reason < $1.reason }
  }
}

/// An error that lists the breaches that `checkContract(of:)` found.
public struct BrokenContract: Error, CustomStringConvertible {
  /// What was checked, and with which seed.
  public let report: ContractReport
  /// The breaches, in the order of the contracts. Empty if no contract could be checked.
  public let breaches: [ContractBreach]

  /// The breaches, the seed, and what was not checked.
  public var description: String {
    let broken = Set(breaches.map(\.contract)).count
    var lines =
      report.checked.isEmpty
      ? ["\(report.type): no contract was checked"]
      : [
        "\(report.type) breaks \(broken) of \(report.checked.count) contracts "
          + "(ContractOptions(seed: \(report.seed)) repeats the random choices):"
      ]
    lines += breaches.map(\.description)
    if !report.unchecked.isEmpty { lines.append(report.summary) }
    return lines.joined(separator: "\n")
  }
}
