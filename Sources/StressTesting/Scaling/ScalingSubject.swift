import EpochReclamation
import Primitives
import SeededRandom
import WeakCollections

/// An operation of one core in a scaling trial.
struct ScalingOperation {
  var core: Int
  var isWrite: Bool
  /// The key in a dictionary, or the index of an element of a weak collection.
  var key: StressKey
  var isRemoval: Bool
}

/// The operations of one core, drawn from a seed.
struct ScalingOperations {
  private let workload: ScalingWorkload
  private let core: Int
  private var generator: SplitMix64

  init(_ workload: ScalingWorkload, seed: UInt64, core: Int) {
    self.workload = workload
    self.core = core
    generator = SplitMix64(seed: seed &+ UInt64(core))
  }

  mutating func next() -> ScalingOperation {
    ScalingOperation(
      core: core, isWrite: Int.random(in: 0..<20, using: &generator) < workload.writesOfTwenty,
      key: StressKey(Int.random(in: 0..<ScalingSubject.keyCount, using: &generator)),
      isRemoval: Int.random(in: 0..<4, using: &generator) == 0)
  }
}

/// A filled collection in a scaling trial.
struct ScalingSubject {
  static var keyCount: Int { 256 }
  static var elementCount: Int { 16 }

  private final class Element: Sendable {}

  private enum Collection {
    case dictionary(LockFreeDictionary<StressKey, Int>)
    case weakArray(LockFreeWeakArray<Element>)
    case weakSet(LockFreeWeakSet<Element>)
  }

  private let collection: Collection
  private let domain: EpochDomain
  /// First the elements that are in the collection from the beginning, then one for each core.
  private let elements: [Element]

  init(_ kind: CollectionKind, _ backend: Backend, domain: EpochDomain, cores: Int) {
    guard ScalingTrial.backends.contains(backend) else {
      fatalError(
        "a scaling trial cannot observe all steps of \(backend.rawValue); use one of "
          + ScalingTrial.backends.map(\.rawValue).joined(separator: ", "))
    }
    self.domain = domain
    elements = (0...Self.elementCount + cores).map { _ in Element() }
    switch kind {
    case .dictionary:
      let dictionary = LockFreeDictionary<StressKey, Int>(domain: domain)
      for key in 0..<Self.keyCount { dictionary.setValue(key, forKey: StressKey(key)) }
      collection = .dictionary(dictionary)
    case .weakArray:
      let array = LockFreeWeakArray<Element>(domain: domain)
      for element in elements.prefix(Self.elementCount) { array.append(element) }
      collection = .weakArray(array)
    case .weakSet:
      let set = LockFreeWeakSet<Element>(domain: domain)
      for element in elements.prefix(Self.elementCount) { set.insert(element) }
      collection = .weakSet(set)
    }
  }

  /// Reads everything once. Afterwards, the core's cache has a copy of every line that the core
  /// only reads.
  func readAll() {
    switch collection {
    case .dictionary(let dictionary):
      for key in 0..<Self.keyCount { _ = dictionary.value(forKey: StressKey(key)) }
    case .weakArray(let array):
      _ = array.all
    case .weakSet(let set):
      for element in elements { _ = set.contains(element) }
    }
  }

  /// Retires a different number of nodes for each core, so that the cores do not attempt to advance
  /// the epoch at the same time. A short trial then has a representative number of attempts.
  func retireInAdvance(core: Int, of cores: Int) {
    for _ in 0..<(core - 1) * domain.bagCapacity / cores {
      domain.retire(NodeMemory.allocate(Int.self), as: Filler.self)
    }
  }

  private enum Filler: Reclaimable {
    static func reclaim(_ pointer: UnsafeMutableRawPointer) { NodeMemory.deallocate(pointer) }
  }

  func perform(_ operation: ScalingOperation) {
    switch collection {
    case .dictionary(let dictionary): perform(operation, on: dictionary)
    case .weakArray(let array): perform(operation, on: array)
    case .weakSet(let set): perform(operation, on: set)
    }
  }

  private func perform(
    _ operation: ScalingOperation, on dictionary: LockFreeDictionary<StressKey, Int>
  ) {
    if !operation.isWrite {
      _ = dictionary.value(forKey: operation.key)
    } else if operation.isRemoval {
      dictionary.removeValue(forKey: operation.key)
    } else {
      dictionary.setValue(operation.core, forKey: operation.key)
    }
  }

  private func perform(_ operation: ScalingOperation, on set: LockFreeWeakSet<Element>) {
    if operation.isWrite {
      let mine = elements[Self.elementCount + operation.core]
      set.insert(mine)
      set.remove(mine)
    } else {
      _ = set.contains(elements[operation.key.number % Self.elementCount])
    }
  }

  private func perform(_ operation: ScalingOperation, on array: LockFreeWeakArray<Element>) {
    if operation.isWrite {
      let mine = elements[Self.elementCount + operation.core]
      array.append(mine)
      array.remove(mine)
    } else {
      _ = array.all
    }
  }
}

/// The kind of operations that every core performs in a scaling trial.
package enum ScalingWorkload: String, CaseIterable, Sendable {
  /// Dictionary: gets of random keys. Weak array: snapshots. Weak set: lookups of random elements.
  case reads
  /// Of 20 operations, 19 are as in `reads` and one as in `writes`, on average.
  case mixed
  /// Dictionary: random keys, of which three are set for each one that is removed. Weak array and
  /// weak set: each operation inserts the core's own element and removes it again.
  case writes

  /// The number of writes in 20 operations.
  var writesOfTwenty: Int {
    switch self {
    case .reads: 0
    case .mixed: 1
    case .writes: 20
    }
  }

  /// Returns the number of operations of one core. It is inversely proportional to the number of
  /// cores, but has a minimum.
  func operationsPerCore(of cores: Int) -> Int {
    switch self {
    case .reads, .mixed: max(20, 2560 / cores)
    case .writes: max(2, 256 / cores)
    }
  }
}

/// A kind of memory.
package enum MemoryKind: String, CaseIterable, Sendable {
  /// The collection and its nodes.
  case structure
  /// The shared memory of a reclamation domain: its epoch, its participant list, bags of retired
  /// nodes.
  case epochs
  /// The participants' records.
  case participants
}
