import EpochReclamation
import Interleaving
import Primitives
import WeakCollections

/// Programs that read and borrow objects while another thread replaces them.
enum ObjectScenario: String, CaseIterable, ScheduledProgram {
  /// A reader finds an object whenever it reads: the key always has one.
  case replaced
  /// The first borrower of a dictionary reads the object that it borrows while it is replaced.
  case borrowed
  /// A thread replaces an object inside a pin of its own, where no `deinit` may run.
  case replacedInside = "replaced-inside"

  var strategies: [Exploration.Strategy] {
    [.randomWalk, .probabilisticConcurrency(depth: 3)]
  }
}

extension ObjectScenario {
  func run(in execution: Execution) {
    let domain = EpochDomain(bagCapacity: 1, reportStall: { _ in })
    let dictionary = LockFreeDictionary<Int, Mortal>(domain: domain)
    let life = Life()
    dictionary.setValue(Mortal(life), forKey: 1)
    if self == .replacedInside {
      domain.pin {
        dictionary.setValue(Mortal(), forKey: 1)
        execution.require(!life.isOver, "a deinit runs inside a pin")
      }
    }
    execution.thread("writer") { for _ in 0..<2 { dictionary.setValue(Mortal(), forKey: 1) } }
    execution.thread("reader") {
      switch self {
      case .replaced, .replacedInside:
        for _ in 0..<2 {
          execution.require(
            dictionary.value(forKey: 1) != nil, "a key that always has a value has none")
        }
      case .borrowed:
        _ = dictionary.withValue(forKey: 1) { object in
          let life = object.life
          for _ in 0..<3 {
            execution.require(!life.isOver, "a borrowed object has died")
            ManagedScheduler.step()
          }
        }
      }
    }
    execution.runThreads()
    dictionary.removeAll()
  }
}

/// An object that records its death.
private final class Mortal: Sendable {
  let life: Life
  init(_ life: Life = Life()) { self.life = life }
  deinit { life.isOver = true }
}

// @unchecked: virtual threads take turns on one system thread.
private final class Life: @unchecked Sendable {
  var isOver = false
}
