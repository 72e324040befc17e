import Threading
import WeakCollections

// What a weak set promises to bodies of forEach and to deinits, which cannot await an actor.
extension Contract where Subject: ConcurrentWeakSet {
  static var synchronous: [Contract] {
    guard
      let subject = Subject.self as? any (SynchronousWeakSet<Subject.Element> & Sendable).Type
    else {
      // Only the names are used; the checks cannot run.
      return reentrant(MutexWeakSet<CountedObject>.self, .synchronousOperations)
    }
    return reentrant(subject, WeakItem<Subject.Element>.need)
  }

  private static func reentrant<S: SynchronousWeakSet & Sendable>(
    _ type: S.Type, _ need: ContractNeed?
  ) -> [Contract] {
    func contract(
      _ name: String, _ check: @escaping @Sendable (ReentrantWeakSet<S>) -> Void
    ) -> Contract {
      Contract(name, need: need) { run in check(ReentrantWeakSet(S(), run)) }
    }
    return [
      contract("the body of forEach may use the set") { $0.checkForEach() },
      contract("the deinit of an element may use the set") { $0.checkDeinit() },
    ]
  }
}

/// A weak set, and checks that use it from inside its own operations.
private struct ReentrantWeakSet<Base: SynchronousWeakSet & Sendable>: Sendable {
  let set: Base
  let run: ContractRun

  init(_ set: Base, _ run: ContractRun) {
    self.set = set
    self.run = run
  }

  private var note: OperationNote { run.notes[0] }

  private func makeElement(
    _ number: Int, lastWords: (@Sendable () -> Void)? = nil
  ) -> Base.Element {
    WeakItem.element(CountedObject(number, in: run.lifetimes, lastWords: lastWords))
  }

  func checkForEach() {
    let elements = (0..<10).map { makeElement($0) }
    for element in elements { set.insert(element) }
    note.during("forEach(_:)") {
      set.forEach { element in
        note.during("remove(_:) inside forEach") { _ = set.remove(element) }
        run.expect(set.count, is: 9, "the count inside forEach after a removal")
        note.during("insert(_:) inside forEach") { _ = set.insert(element) }
        note.during("compact() inside forEach") { _ = set.compact() }
      }
    }
    run.expect(set.count, is: 10, "the count afterwards")
    withExtendedLifetime(elements) {}
  }

  /// An element dies in the thread that holds its last reference: after an insertion, in a
  /// compaction or in a snapshot.
  func checkDeinit() {
    let kept = run.object(-1)
    let rounds = max(50, run.options.operations / 2)
    let ends = Counter()
    _ = joinOwnThreads(4) { thread in
      let note = run.notes[thread + 1]
      for round in 0..<rounds {
        switch thread {
        case 0, 1:
          note.during("insert(_:)", round) {
            _ = set.insert(
              makeElement(round) {
                set.insert(WeakItem.element(kept))
                set.remove(WeakItem.element(kept))
                set.compact()
                ends.add()
              })
          }
        case 2: note.during("compact()") { _ = set.compact() }
        default: note.during("all") { _ = set.all.count + set.entryCount }
        }
      }
    }
    run.expect(ends.total, is: 2 * rounds, "the number of deinits that have ended")
    let left = set.compact() + set.count
    run.expect(left <= 64, "at most 64 dead entries are left", found: "\(left)")
    withExtendedLifetime(kept) {}
  }
}
