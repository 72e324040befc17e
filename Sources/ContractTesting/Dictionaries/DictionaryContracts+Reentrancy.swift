import Threading
import WeakCollections

// What a dictionary promises to code that runs inside its operations: defaults, bodies of forEach,
// and the deinits of values and keys. Such code cannot await an actor.
extension Contract
where Subject: ConcurrentDictionary, Subject.Key: ContractItem, Subject.Value: ContractItem {
  static var synchronous: [Contract] {
    guard
      let subject = Subject.self
        as? any (SynchronousDictionary<Subject.Key, Subject.Value> & Sendable).Type
    else {
      // Only the names are used; the checks cannot run.
      return reentrant(MutexDictionary<Subject.Key, Subject.Value>.self, .synchronousOperations)
    }
    return reentrant(subject, nil)
  }

  private static func reentrant<D: SynchronousDictionary & Sendable>(
    _ type: D.Type, _ need: ContractNeed?
  ) -> [Contract] where D.Key == Subject.Key, D.Value == Subject.Value {
    typealias Reentrant = ReentrantDictionary<D>
    func contract(
      _ name: String, counting: Bool = false, _ check: @escaping @Sendable (Reentrant) -> Void
    ) -> Contract {
      Contract(name, need: need ?? (counting ? needOfCountedValues : nil)) { run in
        check(ReentrantDictionary(D(), run))
      }
    }
    return [
      contract("a default may use the dictionary") { $0.checkDefault() },
      contract("subscripts get, set, remove and insert a default") { $0.checkSubscripts() },
      contract("the body of forEach may use the dictionary") { $0.checkForEach() },
      contract("a value replaced inside update lives until after the body", counting: true) {
        $0.checkReplacementInsideUpdate()
      },
      contract("values die outside critical sections when writers contend", counting: true) {
        $0.checkContention()
      },
    ]
      + LastUse.allCases.map { use in
        contract(
          "the deinit of a value or key may use the dictionary when \(use.rawValue)", counting: true
        ) { $0.checkDeinit(use) }
      }
  }
}

/// The operation that releases the last reference to a value or a key.
private enum LastUse: String, CaseIterable {
  case removed = "it is removed"
  case replaced = "it is replaced"
  case lost = "it loses get-or-insert"
  case updated = "update replaces it"
  case updatedAway = "update removes it"
  case updatedInVain = "update throws"
  case allRemoved = "all are removed"
  case setToNil = "a subscript removes it"
}

/// A dictionary, and checks that use it from inside its own operations.
private struct ReentrantDictionary<Base: SynchronousDictionary & Sendable>: Sendable
where Base.Key: ContractItem, Base.Value: ContractItem {
  let dictionary: Base
  let run: ContractRun

  init(_ dictionary: Base, _ run: ContractRun) {
    self.dictionary = dictionary
    self.run = run
  }

  private var note: OperationNote { run.notes[0] }

  private func key(_ number: Int) -> Base.Key { .contractItem(number) }

  private func value(_ number: Int) -> Base.Value { .contractItem(number) }

  private func numbers(_ snapshot: [Base.Key: Base.Value]) -> [Int: Int] {
    var numbers: [Int: Int] = [:]
    for (key, value) in snapshot { numbers[key.contractNumber] = value.contractNumber }
    return numbers
  }

  func checkDefault() {
    let result = note.during("value(forKey:orInsert:)", 1) {
      dictionary.value(
        forKey: key(1),
        orInsert: {
          note.during("setValue(_:forKey:) inside a default") {
            dictionary.setValue(value(10), forKey: key(2))
          }
          note.during("update(_:_:) inside a default") {
            dictionary.update(key(2)) { $0 = $0.map { self.value($0.contractNumber + 1) } }
          }
          return note.during("value(forKey:orInsert:) inside a default") {
            dictionary.value(forKey: key(3), orInsert: { self.value(7) })
          }
        })
    }
    run.expect(result.contractNumber, is: 7, "what get-or-insert returns")
    run.expect(numbers(dictionary.snapshot), is: [1: 7, 2: 11, 3: 7], "the snapshot afterwards")
  }

  func checkSubscripts() {
    dictionary[key(1)] = value(1)
    run.expect(dictionary[key(1)]?.contractNumber, is: 1, "the value that a subscript set")
    run.expect(dictionary[key(2)]?.contractNumber, is: nil, "the subscript of an absent key")
    let first = dictionary[key(2), default: value(2)].contractNumber
    run.expect(first, is: 2, "the subscript with a default")
    let second = dictionary[key(2), default: value(3)].contractNumber
    run.expect(second, is: 2, "the subscript with a default for a present key")
    dictionary[key(1)] = nil
    run.expect(numbers(dictionary.snapshot), is: [2: 2], "the snapshot after setting nil")
    run.expect(dictionary.count, is: 1, "the count after setting nil")
    let other = Base(uniqueKeysWithValues: [(key(3), value(4))])
    run.expect(numbers(other.snapshot), is: [3: 4], "a dictionary made from keys and values")
    run.expect(other.description, is: other.snapshot.description, "the description")
  }

  func checkForEach() {
    for number in 0..<20 { dictionary.setValue(value(number), forKey: key(number)) }
    note.during("forEach(_:)") {
      dictionary.forEach { key, value in
        let number = key.contractNumber
        let other = self.key(number + 100)
        note.during("removeValue(forKey:) inside forEach", number) {
          _ = dictionary.removeValue(forKey: key)
        }
        note.during("setValue(_:forKey:) inside forEach", number) {
          dictionary.setValue(value, forKey: other)
        }
        note.during("update(_:_:) inside forEach", number) {
          dictionary.update(other) { $0 = $0.map { self.value($0.contractNumber + 1) } }
        }
      }
    }
    run.expect(
      numbers(dictionary.snapshot),
      is: .init(uniqueKeysWithValues: (0..<20).map { ($0 + 100, $0 + 1) }),
      "the snapshot after a body that moves every key")
  }

  func checkReplacementInsideUpdate() {
    dictionary.setValue(.contractItem(holding: run.object(1)), forKey: key(1))
    let inside = note.during("update(_:_:)", 1) {
      dictionary.update(key(1)) { value in
        value = nil
        return run.lifetimes.live
      }
    }
    run.expect(inside, is: 1, "the number of live values inside the body that replaces one")
    run.expectRelease("values after the update", downTo: 0) { run.lifetimes.live }
  }

  func checkContention() {
    let written = key(1)
    @Sendable func make() -> Base.Value {
      .contractItem(
        holding: CountedObject(0, in: run.lifetimes) {
          // This deadlocks if it runs under a lock, and traps if it runs inside an update.
          dictionary.setValue(value(1), forKey: written)
        })
    }
    _ = joinOwnThreads(4) { thread in
      let note = run.notes[thread + 1]
      for _ in 0..<run.options.operations {
        if thread < 2 {
          note.during("update(_:_:)", 0) { dictionary.update(key(0)) { $0 = make() } }
        } else {
          note.during("setValue(_:forKey:)", 0) { dictionary.setValue(make(), forKey: key(0)) }
        }
      }
    }
    note.during("removeAll()") { dictionary.removeAll() }
    run.expectRelease("values after removeAll", downTo: 0) { run.lifetimes.live }
  }

  // MARK: - Deinits

  func checkDeinit(_ use: LastUse) {
    let ends = Counter()
    for number in 0..<50 {
      // The dictionary gets the only reference to each key and value.
      drop(
        use, number,
        makeKey: {
          .contractItem(
            holding: CountedObject(number) { useDictionary(1000 + number, ends) })
        },
        makeValue: {
          .contractItem(
            holding: CountedObject(number) { useDictionary(2000 + number, ends) })
        })
    }
    run.expectRelease("values and keys", downTo: 0) { 100 - ends.total }
    note.during("removeAll()") { dictionary.removeAll() }
    run.expect(dictionary.count, is: 0, "the count after removeAll")
  }

  /// Uses the dictionary from a deinit.
  private func useDictionary(_ number: Int, _ ends: Counter) {
    note.during("an operation inside the deinit of the value or key", number % 1000) {
      dictionary.setValue(value(1), forKey: key(number))
      dictionary.update(key(number)) { $0 = value(2) }
      _ = dictionary.value(forKey: key(-1), orInsert: { value(3) })
      _ = dictionary.count + dictionary.snapshot.count
      _ = dictionary.removeValue(forKey: key(number))
    }
    ends.add()
  }

  private func drop(
    _ use: LastUse, _ number: Int, makeKey: @Sendable () -> Base.Key,
    makeValue: @Sendable () -> Base.Value
  ) {
    // Operations receive an equal key, not the stored instance.
    let asked = key(number)
    let other = value(-1)
    switch use {
    case .lost, .updatedInVain: dictionary.setValue(other, forKey: makeKey())
    default: dictionary.setValue(makeValue(), forKey: makeKey())
    }
    switch use {
    case .removed, .updatedInVain, .lost: break
    case .replaced:
      note.during("setValue(_:forKey:)", number) { dictionary.setValue(other, forKey: asked) }
    case .updated:
      note.during("update(_:_:)", number) { dictionary.update(asked) { $0 = other } }
    case .updatedAway:
      note.during("update(_:_:)", number) { dictionary.update(asked) { $0 = nil } }
    case .allRemoved: note.during("removeAll()") { dictionary.removeAll() }
    case .setToNil: note.during("the subscript", number) { dictionary[asked] = nil }
    }
    if use == .lost { loseInsertion(number + 100, makeValue) }
    if use == .updatedInVain {
      note.during("update(_:_:) that throws", number) {
        try? dictionary.update(asked) { present throws(Stop) in
          present = makeValue()
          throw Stop(at: number)
        }
      }
    }
    note.during("removeValue(forKey:)", number) { _ = dictionary.removeValue(forKey: asked) }
  }

  /// Inserts another value while the default is evaluated, so that the default's value loses.
  private func loseInsertion(_ number: Int, _ makeValue: @Sendable () -> Base.Value) {
    note.during("value(forKey:orInsert:)", number) {
      _ = dictionary.value(
        forKey: key(number),
        orInsert: {
          dictionary.setValue(value(-1), forKey: key(number))
          return makeValue()
        })
    }
  }
}
