import EpochReclamation
import Primitives
import SeededRandom
import WeakCollections

/// What one core does next in a trial of scaling.
struct ScalingOperation {
  var core: Int
  var isWrite: Bool
  /// For a dictionary.
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

/// A filled collection under a trial of scaling.
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
  /// Those in the array from the beginning, and behind them one for each core.
  private let elements: [Element]

  init(_ kind: CollectionKind, _ backend: Backend, domain: EpochDomain, cores: Int) {
    precondition(ScalingTrial.backends.contains(backend), "all steps of the backend are seen")
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

  /// Reads everything once, so that the core has a copy of every line that it only reads.
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

  /// Retires as many nodes as puts each core at another place between two attempts to advance the epoch,
  /// so that a short trial has its share of them.
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

/// What every core does in a trial of scaling.
package enum ScalingWorkload: String, CaseIterable, Sendable {
  /// Dictionary: gets of random keys. Weak array: scans of all elements.
  case reads
  /// As `reads`, but one operation in twenty as in `writes`.
  case mixed
  /// Dictionary: three sets of random keys to one removal. Weak array: a core's own element is appended
  /// and removed again, which is one operation.
  case writes

  /// Of 20 operations, how many write.
  var writesOfTwenty: Int {
    switch self {
    case .reads: 0
    case .mixed: 1
    case .writes: 20
    }
  }

  /// How many operations one core does, so that all cores together do enough of them.
  func operationsPerCore(of cores: Int) -> Int {
    switch self {
    case .reads, .mixed: max(20, 2560 / cores)
    case .writes: max(2, 256 / cores)
    }
  }
}

/// What memory is for.
package enum MemoryKind: String, CaseIterable, Sendable {
  /// The collection and its nodes.
  case structure
  /// What the participants of a reclamation domain share: its epoch, its list, bags of retired nodes.
  case epochs
  /// The participants' records.
  case participants
}
