import Threading
import WeakCollections

// What a weak array promises to bodies of forEach and to deinits, which cannot await an actor.
extension Contract where Subject: ConcurrentWeakArray {
  static var synchronous: [Contract] {
    guard
      let subject = Subject.self as? any (SynchronousWeakArray<Subject.Element> & Sendable).Type
    else {
      // Only the names are used; the checks cannot run.
      return reentrant(MutexWeakArray<CountedObject>.self, .synchronousOperations)
    }
    return reentrant(subject, WeakItem<Subject.Element>.need)
  }

  private static func reentrant<A: SynchronousWeakArray & Sendable>(
    _ type: A.Type, _ need: ContractNeed?
  ) -> [Contract] {
    func contract(
      _ name: String, _ check: @escaping @Sendable (ReentrantWeakArray<A>) -> Void
    ) -> Contract {
      Contract(name, need: need) { run in check(ReentrantWeakArray(A(), run)) }
    }
    return [
      contract("the body of forEach may use the array") { $0.checkForEach() },
      contract("the deinit of an element may use the array") { $0.checkDeinit() },
      contract(
        "an element dies outside the compaction or snapshot that held its last reference"
      ) { $0.checkLastReferences() },
    ]
  }
}

/// A weak array, and checks that use it from inside its own operations.
private struct ReentrantWeakArray<Base: SynchronousWeakArray & Sendable>: Sendable {
  let array: Base
  let run: ContractRun

  init(_ array: Base, _ run: ContractRun) {
    self.array = array
    self.run = run
  }

  private typealias Item = WeakItem<Base.Element>
  private var note: OperationNote { run.notes[0] }

  private func makeElement(
    _ number: Int, lastWords: (@Sendable () -> Void)? = nil
  ) -> Base.Element {
    Item.element(CountedObject(number, in: run.lifetimes, lastWords: lastWords))
  }

  func checkForEach() {
    let elements = (0..<10).map { makeElement($0) }
    for element in elements { array.append(element) }
    note.during("forEach(_:)") {
      array.forEach { element in
        note.during("append(_:) inside forEach") { _ = array.append(element) }
        run.expect(array.count, is: 11, "the count inside forEach after an append")
        note.during("remove(_:) inside forEach") { _ = array.remove(element) }
        note.during("compact() inside forEach") { _ = array.compact() }
      }
    }
    run.expect(
      array.all.map { Item.object(of: $0).number }, is: Array(0..<10), "the snapshot afterwards")
    withExtendedLifetime(elements) {}
  }

  func checkDeinit() {
    let kept = run.object(-1)
    let ends = Counter()
    for number in 0..<200 {
      let element = makeElement(number) {
        note.during("an operation inside the deinit of the element", number) {
          array.append(Item.element(kept))
          array.remove(Item.element(kept))
          _ = array.all.count + array.entryCount
          array.compact()
        }
        ends.add()
      }
      note.during("append(_:)", number) { _ = array.append(element) }
      note.during("append(_:)", number) { _ = array.append(element) }
      note.during("forEach(_:)") { array.forEach { _ in } }
      note.during("remove(_:)", number) { _ = array.remove(element) }
      note.during("compact()") { _ = array.compact() }
    }
    run.expect(ends.total, is: 200, "the number of deinits that have ended")
    run.expect(array.count, is: 0, "the count afterwards")
    withExtendedLifetime(kept) {}
  }

  /// An element dies in the thread that holds its last reference: in a compaction or a snapshot.
  func checkLastReferences() {
    let rounds = max(50, run.options.operations / 2)
    let ends = Counter()
    _ = joinOwnThreads(4) { thread in
      let note = run.notes[thread + 1]
      for round in 0..<rounds {
        switch thread {
        case 0, 1:
          note.during("append(_:)", round) {
            _ = array.append(
              makeElement(round) {
                _ = array.entryCount
                array.compact()
                ends.add()
              })
          }
        case 2: note.during("compact()") { _ = array.compact() }
        default:
          if round.isMultiple(of: 2) {
            note.during("all") { _ = array.all }
          } else {
            note.during("count") { _ = array.count }
          }
        }
      }
    }
    run.expect(ends.total, is: 2 * rounds, "the number of deinits that have ended")
    let left = array.compact() + array.entryCount
    run.expect(left <= 64, "at most 64 dead entries are left", found: "\(left)")
  }
}
