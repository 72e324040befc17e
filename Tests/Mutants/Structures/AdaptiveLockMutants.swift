import Interleaving
import Primitives
import StressTesting
import WeakCollections

/// What can be wrong with our lock, under the dictionary that it guards.
enum AdaptiveLockMutants {
  static var all: [Mutant] { defects + weakenings }

  private static var defects: [Mutant] {
    [
      mutant(.lockTakenTwice, two, "the lock is taken by a load and a store"),
      mutant(.freedWithoutWaking, two, "a lock that others wait for is freed without waking one"),
      mutant(.freedByStore, two, "the lock is freed by a load and a store"),
      mutant(.wakeTakenForLock, three, "a woken thread goes on as if it had the lock"),
      mutant(.waitersForgotten, three, "a woken thread takes the lock as one nobody waits for"),
      mutant(.sleptUnannounced, two, "a thread goes to sleep without having said that it waits"),
    ]
  }

  private static var weakenings: [Mutant] {
    [
      mutant(
        "free-not-releasing", two, "the exchange that frees the lock is relaxed",
        .weakening("AdaptiveLock.swift", "exchangeForFree()", to: .relaxed)),
      mutant(
        "take-lock-not-acquiring", two, "the exchange that takes a free lock is relaxed",
        .weakening("AdaptiveLock.swift", "take()", to: .relaxed)),
      mutant(
        "contended-not-acquiring", three, "the exchange that takes a contended lock is relaxed",
        .weakening("AdaptiveLock.swift", "takeContended()", to: .relaxed)),
    ]
  }

  private static let two = "s0-0,s1-1/s0-2,g1"
  private static let three = "s0-0/s0-1/s0-2"

  private static func mutant(_ defect: Defect, _ scenario: String, _ text: String) -> Mutant {
    mutant(defect.rawValue, scenario, text, .defect(defect))
  }

  private static func mutant(
    _ name: String, _ scenario: String, _ text: String, _ planting: Planting
  ) -> Mutant {
    var subject = Subject(name) { _ -> Subject.Dictionary in
      planting.plant()
      return AdaptiveLockDictionary<StressKey, Tracked>()
    }
    subject.weakenings = planting.weakenings
    let original = BackendCatalog.subject(of: .adaptiveLock, .dictionary)
    return Mutant(
      name, .structure, text,
      .scenario(subject, original: original, .trusted(scenario, for: .dictionary)))
  }
}
