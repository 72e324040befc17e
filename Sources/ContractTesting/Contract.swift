/// One promise that a collection keeps, and the check that tries to break it.
///
/// `checkContract(of:)` checks all contracts of a type. A parameterized test can check them one by
/// one instead:
///
/// ```swift
/// for contract in Contract<YourDictionary<Int, Int>>.all where contract.need == nil {
///   print(contract.name, await contract.breaches().isEmpty)
/// }
/// ```
public struct Contract<Subject: AnyObject & Sendable>: Sendable {
  /// A sentence that says what the collection promises.
  public let name: String
  /// What `Subject` lacks for the check; `nil` if the contract can be checked.
  public let need: ContractNeed?
  private let check: @Sendable (ContractRun) async -> Void

  init(
    _ name: String, need: ContractNeed? = nil,
    _ check: @escaping @Sendable (ContractRun) async -> Void
  ) {
    self.name = name
    self.need = need
    self.check = check
  }

  /// Checks the contract with a new collection, on a new thread.
  ///
  /// Traps if `need` is not `nil`.
  ///
  /// - Parameter options: The seed, the number of operations and the time limit.
  /// - Returns: The breaches that the check found; empty if the collection kept the contract.
  public func breaches(_ options: ContractOptions = ContractOptions()) async -> [ContractBreach] {
    await finishedRun(options).breaches
  }

  func finishedRun(_ options: ContractOptions) async -> ContractRun {
    guard need == nil else {
      fatalError("the contract '\(name)' cannot be checked: it needs \(need!.description)")
    }
    let run = ContractRun(of: name, options)
    await run.perform(check)
    return run
  }
}

/// A requirement that a type must meet before a contract can be checked with it.
public enum ContractNeed: Hashable, Sendable, CustomStringConvertible {
  /// Values that keep a `CountedObject` alive, so that their release can be observed.
  case countedValues
  /// An element type to which `CountedObject` converts: the class itself, `AnyObject`, or a
  /// protocol that it conforms to.
  case countedElements
  /// Keys with equal hashes.
  case collidingKeys
  /// Operations that do not suspend, because a `deinit` cannot await.
  case synchronousOperations

  /// The need in words, with a type that meets it.
  public var description: String {
    switch self {
    case .countedValues: "values that hold an object, such as CountedObject"
    case .countedElements:
      "elements of the class CountedObject, or of a protocol that it conforms to"
    case .collidingKeys: "keys whose hashes can collide, such as CollidingKey or CountedObject"
    case .synchronousOperations: "a synchronous type, because a deinit cannot await"
    }
  }
}

/// How contracts are checked.
public struct ContractOptions: Sendable {
  /// The seed of all random choices. A check with the same seed makes the same choices, but its
  /// threads may run in another order.
  public var seed: UInt64
  /// The number of operations per thread in checks in which threads race. Some checks
  /// perform a multiple or a fraction of it.
  public var operations: Int
  /// The time after which a check that has not returned counts as a breach.
  public var timeLimit: Duration
  /// Suspends until the given time limit has passed. A test of a check that hangs waits for that
  /// instead.
  package var waitForTimeLimit: @Sendable (Duration) async throws -> Void = { limit in
    try await Task.sleep(for: limit)
  }
  /// Releases the values that the collection has removed but not yet released. The checks call it
  /// repeatedly before they count live objects.
  ///
  /// A type that releases immediately needs no such closure. A type that reclaims memory through
  /// `EpochDomain.shared` passes `{ EpochDomain.shared.advance() }`. For `LockFreeDictionary` and
  /// `BucketLockDictionary` any closure will do: it only has to give the library's thread time.
  public var reclaim: (@Sendable () -> Void)?

  /// Creates options. The seed is random unless given.
  public init(
    seed: UInt64 = .random(in: 0...UInt64(UInt32.max)), operations: Int = 4_000,
    timeLimit: Duration = .seconds(60), reclaim: (@Sendable () -> Void)? = nil
  ) {
    guard operations > 0 else { fatalError("operations must be positive, got \(operations)") }
    self.seed = seed
    self.operations = operations
    self.timeLimit = timeLimit
    self.reclaim = reclaim
  }
}

/// A difference between what a contract promises and what a check found.
public struct ContractBreach: Hashable, Sendable, CustomStringConvertible {
  /// The name of the contract.
  public let contract: String
  /// What the contract promises at this point.
  public let expected: String
  /// What the collection did instead.
  public let found: String

  /// The breach in three lines.
  public var description: String {
    "\(contract)\n  expected: \(expected)\n  found:    \(found)"
  }
}
