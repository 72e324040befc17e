#if Interleaving
  import EpochReclamation
  import Interleaving
  import Primitives
  import Synchronization
  import Testing
  import WeakCollections

  /// A snapshot in which an object has died must look again whether the array is unchanged.
  struct SecondLookTests {
    /// How often a snapshot was taken after so many loads of the count: one and no second look, two and
    /// a second look that agreed, three or more and a snapshot started anew.
    private final class Looks: Sendable {
      let loads = Synchronization.Atomic(0)
      let agreed = Synchronization.Atomic(0)
      let anew = Synchronization.Atomic(0)

      func note(_ step: ObservedStep) {
        guard step.kind == .load, step.site.function == "count" else { return }
        loads.wrappingAdd(1, ordering: .relaxed)
      }

      func end() {
        let count = loads.exchange(0, ordering: .relaxed)
        if count == 2 { agreed.wrappingAdd(1, ordering: .relaxed) }
        if count > 2 { anew.wrappingAdd(1, ordering: .relaxed) }
      }
    }

    @Test func `a snapshot looks again after a failed promotion, and starts anew if need be`() {
      let looks = Looks()
      var plan = Exploration(
        strategy: .depthFirst(preemptionBound: 2), seed: 1, executions: 200_000,
        memory: .sequentiallyConsistent)
      plan.observer = { looks.note($0) }
      let outcome = plan.run { execution in
        let array = LockFreeWeakArray<Element>(domain: EpochDomain(bagCapacity: 8))
        let second = Element(number: 2)
        var first: Element? = Element(number: 1)
        array.append(first!)
        execution.thread("reads") {
          looks.loads.store(0, ordering: .relaxed)
          let numbers = array.all.map(\.number)
          looks.end()
          // At every moment at least one of the two lives in the array.
          execution.require(
            numbers == [1] || numbers == [1, 2] || numbers == [2], "no snapshot is \(numbers)")
        }
        execution.thread("changes") {
          array.append(second)
          first = nil
        }
        execution.runThreads()
      }
      #expect(outcome.failure == nil && outcome.isExhaustive)
      #expect(looks.agreed.load(ordering: .relaxed) > 0)
      #expect(looks.anew.load(ordering: .relaxed) > 0)
    }
  }
#endif
