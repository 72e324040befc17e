import EpochReclamation
import Interleaving
import WeakCollections

/// A program of threads that share an interner. All threads that hold the object of a key must hold
/// the same object.
enum InternerScenario: String, CaseIterable, ScheduledProgram {
  /// Two threads get or insert the object of one key, and release it.
  case pair
  /// The same, while a third thread removes dead entries.
  case purge
  /// The same, while a third thread inserts and removes another key.
  case removal

  var strategies: [Exploration.Strategy] { [.randomWalk] }
}

extension InternerScenario {
  func run(in execution: Execution) {
    let domain = EpochDomain(bagCapacity: 1, reportStall: { _ in })
    let interner = LockFreeWeakValueDictionary<Int, Interned>(domain: domain)
    let holders = Holders(execution)
    for name in ["one", "other"] {
      execution.thread(name) { for _ in 0..<2 { Self.intern(with: interner, holders) } }
    }
    switch self {
    case .pair: break
    case .purge: execution.thread("purger") { for _ in 0..<2 { interner.compact() } }
    case .removal:
      execution.thread("remover") {
        // Kept alive until its removal, because a sweep could remove a dead entry first.
        let object = Interned()
        interner.setValue(object, forKey: 2)
        holders.require(
          interner.removeValue(forKey: 2) === object, "a removal finds another object")
      }
    }
    execution.runThreads()
    execution.require(interner.value(forKey: 1) == nil, "an object lives, and nobody holds it")
    interner.compact()
    execution.require(interner.entryCount == 0, "a dead entry survives a purge")
    domain.advance()
  }

  private static func intern(
    with interner: LockFreeWeakValueDictionary<Int, Interned>, _ holders: Holders
  ) {
    let object = interner.value(forKey: 1, orInsert: { Interned() })
    holders.note(object)
    holders.require(interner.value(forKey: 1) === object, "another object is there than is held")
    holders.forget(object)
  }
}

private final class Interned: Sendable {}

/// The objects that threads hold now.
// @unchecked: virtual threads share one system thread, and the methods take no steps.
private final class Holders: @unchecked Sendable {
  private let execution: Execution
  private var held: [ObjectIdentifier] = []

  init(_ execution: Execution) { self.execution = execution }

  func note(_ object: Interned) {
    held.append(ObjectIdentifier(object))
    require(Set(held).count == 1, "one key has two live objects")
  }

  func forget(_ object: Interned) {
    held.remove(at: held.firstIndex(of: ObjectIdentifier(object))!)
  }

  func require(_ condition: Bool, _ what: String) { execution.require(condition, what) }
}
