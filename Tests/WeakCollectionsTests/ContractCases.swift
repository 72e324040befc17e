import ContractTesting
import EpochReclamation
import SeededTesting
import WeakCollections

// What the contracts are checked with: each backend, with several types of keys, values and
// elements. scripts/test-arm64 compiles this file into a program of its own.

extension CountedObject: Named, Aged {
  var name: String { "\(number)" }
  var age: Int { number }
}

/// A contract by name, and the type that must keep it.
struct ContractCase<Items: Sendable>: Sendable, CustomStringConvertible {
  let backend: Backend
  let items: Items
  let contract: String

  var description: String { "\(backend.rawValue), \(items): \(contract)" }

  fileprivate var options: ContractOptions {
    var options = ContractOptions(
      seed: TestOptions.seed, operations: TestOptions.operations(full: 4_000),
      timeLimit: .seconds(540))
    if backend.reclaimsByEpoch { options.reclaim = { _ = EpochDomain.shared.advance() } }
    return options
  }

  /// Returns the breaches of the contract of this name.
  fileprivate func breaches<Subject>(of contracts: [Contract<Subject>]) async throws -> [String] {
    guard let contract = contracts.first(where: { $0.name == self.contract }), contract.need == nil
    else { return ["\(Subject.self) has no contract '\(self.contract)' that can be checked"] }
    return await contract.breaches(options).map(\.description)
  }
}

/// Returns the names of the contracts that need nothing.
private func checkable<Subject>(_ contracts: [Contract<Subject>]) -> [String] {
  contracts.filter { $0.need == nil }.map(\.name)
}

/// The contract whose number of operations `scripts/test --conservation` raises.
private func isConservation(_ name: String) -> Bool { name.contains("conserves") }

// MARK: - Dictionaries

enum DictionaryItems: CaseIterable {
  /// Keys and values that the lock-free dictionaries store as they are.
  case integers
  /// Values that are references.
  case integersToObjects
  /// Keys and values that the lock-free dictionaries store in nodes.
  case strings
  /// Keys that are references, and whose hashes may collide.
  case objectsToObjects

  fileprivate func contracts(isSynchronous: Bool) -> [String] {
    switch self {
    case .integers: names(Int.self, Int.self, isSynchronous)
    case .integersToObjects: names(Int.self, CountedObject.self, isSynchronous)
    case .strings: names(String.self, String.self, isSynchronous)
    case .objectsToObjects: names(CountedObject.self, CountedObject.self, isSynchronous)
    }
  }

  private func names<Key: ContractItem & Hashable, Value: ContractItem>(
    _ key: Key.Type, _ value: Value.Type, _ isSynchronous: Bool
  ) -> [String] {
    isSynchronous
      ? checkable(Contract<MutexDictionary<Key, Value>>.all)
      : checkable(Contract<ActorDictionary<Key, Value>>.all)
  }
}

extension ContractCase where Items == DictionaryItems {
  static func all(conserving: Bool) -> [ContractCase] {
    Backend.supporting(.dictionary).flatMap { backend in
      // Conservation takes long, and only objects show it whole.
      (conserving ? [.integersToObjects, .objectsToObjects] : DictionaryItems.allCases).flatMap {
        items in
        items.contracts(isSynchronous: backend.isSynchronous)
          .filter { isConservation($0) == conserving }
          .map { ContractCase(backend: backend, items: items, contract: $0) }
      }
    }
  }

  func breaches() async throws -> [String] {
    switch items {
    case .integers:
      try await backend.withDictionary(CheckDictionary<Int, Int>(contractCase: self))
    case .integersToObjects:
      try await backend.withDictionary(CheckDictionary<Int, CountedObject>(contractCase: self))
    case .strings:
      try await backend.withDictionary(CheckDictionary<String, String>(contractCase: self))
    case .objectsToObjects:
      try await backend.withDictionary(
        CheckDictionary<CountedObject, CountedObject>(contractCase: self))
    }
  }
}

private struct CheckDictionary<Key: ContractItem & Hashable, Value: ContractItem>:
  DictionaryVisitor
{
  let contractCase: ContractCase<DictionaryItems>

  func visit<D: ConcurrentDictionary & Sendable>(_ type: D.Type) async throws -> [String]
  where D.Key == Key, D.Value == Value {
    try await contractCase.breaches(of: Contract<D>.all)
  }
}

// MARK: - Weak collections

enum WeakItems: CaseIterable {
  case objects
  case protocolValues
}

extension ContractCase where Items == WeakItems {
  static func arrays(conserving: Bool) -> [ContractCase] {
    cases(
      of: .weakArray, conserving: conserving,
      synchronous: checkable(Contract<MutexWeakArray<CountedObject>>.all),
      suspending: checkable(Contract<ActorWeakArray<CountedObject>>.all))
  }

  static func sets(conserving: Bool) -> [ContractCase] {
    cases(
      of: .weakSet, conserving: conserving,
      synchronous: checkable(Contract<MutexWeakSet<CountedObject>>.all),
      suspending: checkable(Contract<ActorWeakSet<CountedObject>>.all))
  }

  private static func cases(
    of collection: CollectionKind, conserving: Bool, synchronous: [String], suspending: [String]
  ) -> [ContractCase] {
    Backend.supporting(collection).flatMap { backend in
      (conserving ? [.objects] : WeakItems.allCases).flatMap { items in
        (backend.isSynchronous ? synchronous : suspending)
          .filter { isConservation($0) == conserving }
          .map { ContractCase(backend: backend, items: items, contract: $0) }
      }
    }
  }

  func breachesOfArray() async throws -> [String] {
    switch items {
    case .objects:
      try await backend.withWeakArray(CheckWeakArray<CountedObject>(contractCase: self))
    case .protocolValues:
      try await backend.withWeakArray(CheckWeakArray<any Named & Aged>(contractCase: self))
    }
  }

  func breachesOfSet() async throws -> [String] {
    switch items {
    case .objects:
      try await backend.withWeakSet(CheckWeakSet<CountedObject>(contractCase: self))
    case .protocolValues:
      try await backend.withWeakSet(CheckWeakSet<any Named & Aged>(contractCase: self))
    }
  }
}

private struct CheckWeakArray<Element: Sendable>: WeakArrayVisitor {
  let contractCase: ContractCase<WeakItems>

  func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async throws -> [String]
  where A.Element == Element {
    try await contractCase.breaches(of: Contract<A>.all)
  }
}

private struct CheckWeakSet<Element: Sendable>: WeakSetVisitor {
  let contractCase: ContractCase<WeakItems>

  func visit<S: ConcurrentWeakSet & Sendable>(_ type: S.Type) async throws -> [String]
  where S.Element == Element {
    try await contractCase.breaches(of: Contract<S>.all)
  }
}

// MARK: - Dictionaries with weak values

extension ContractCase where Items == WeakValueBackend {
  static var all: [ContractCase] {
    WeakValueBackend.allCases.flatMap { items in
      checkable(Contract<MutexWeakValueDictionary<String, CountedObject>>.all).map {
        ContractCase(backend: items.backend, items: items, contract: $0)
      }
    }
  }

  func breaches() async throws -> [String] {
    switch items {
    case .mutex: try await check(MutexWeakValueDictionary.self)
    case .readWriteLock: try await check(ReadWriteLockWeakValueDictionary.self)
    case .adaptiveLock: try await check(AdaptiveLockWeakValueDictionary.self)
    case .barrierQueue: try await check(BarrierQueueWeakValueDictionary.self)
    case .lockFree: try await check(LockFreeWeakValueDictionary.self)
    }
  }

  private func check<D: ConcurrentWeakValueDictionary & Sendable>(
    _ type: D.Type
  ) async throws -> [String] where D.Key == String, D.Value == CountedObject {
    try await breaches(of: Contract<D>.all)
  }
}

/// The backends that have a dictionary with weak values.
enum WeakValueBackend: CaseIterable {
  case mutex, readWriteLock, adaptiveLock, barrierQueue, lockFree

  var backend: Backend {
    switch self {
    case .mutex: .mutex
    case .readWriteLock: .readWriteLock
    case .adaptiveLock: .adaptiveLock
    case .barrierQueue: .barrierQueue
    case .lockFree: .lockFree
    }
  }
}
