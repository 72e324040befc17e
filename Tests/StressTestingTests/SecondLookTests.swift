#if Interleaving
  import EpochReclamation
  import Interleaving
  import Primitives
  import Synchronization
  import Testing
  import WeakCollections

  /// A snapshot must look again whether something was decided since it began.
  struct SecondLookTests {
    /// How often a snapshot was taken after so many loads of the state: one when nothing changed,
    /// two when it went on and agreed, three or more when it went on again.
    private final class Looks: Sendable {
      let loads = Synchronization.Atomic(0)
      let agreed = Synchronization.Atomic(0)
      let again = Synchronization.Atomic(0)

      func note(_ step: ObservedStep) {
        // The first thread that is started reads.
        guard step.thread == 1, step.kind == .load, step.site.function == "state" else { return }
        loads.wrappingAdd(1, ordering: .relaxed)
      }

      func end() {
        let count = loads.exchange(0, ordering: .relaxed)
        if count == 2 { agreed.wrappingAdd(1, ordering: .relaxed) }
        if count > 2 { again.wrappingAdd(1, ordering: .relaxed) }
      }
    }

    @Test func `a snapshot goes on when something has changed, and again if need be`() {
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
        withExtendedLifetime(second) { execution.runThreads() }
      }
      #expect(outcome.failure == nil && outcome.isExhaustive)
      #expect(looks.agreed.load(ordering: .relaxed) > 0)
      #expect(looks.again.load(ordering: .relaxed) > 0)
    }
  }
#endif
