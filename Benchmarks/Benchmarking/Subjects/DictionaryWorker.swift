import Primitives
import WeakCollections
import Workloads

/// One worker of a dictionary's trial.
struct DictionaryWorker<D: ConcurrentDictionary & Sendable>: TrialWorker
where D.Key == Int, D.Value == Int {
  private let dictionary: D
  private var input: WorkerInput
  private let behaviour: Workload.Behaviour
  private let entryLimit: Int
  private var insertsSinceEmptied = 0
  private(set) var updates = 0
  /// Reads that found nothing.
  private(set) var misses = 0
  /// Values that said they were another key's.
  private(set) var strangeValues = 0

  init(dictionary: D, input: WorkerInput, workload: Workload, entryLimit: Int) {
    self.dictionary = dictionary
    self.input = input
    self.entryLimit = entryLimit
    behaviour = workload.behaviour
  }

  mutating func operate() async {
    let key = input.nextKey()
    switch input.nextOperation() {
    case .read: await read(key)
    case .insert: await insert(key)
    case .update: await update(key)
    case .remove: check(await dictionary.removeValue(forKey: key), key)
    case .iterate: await iterate()
    }
  }

  private mutating func read(_ key: Int) async {
    let value = await dictionary.value(forKey: key)
    if value == nil { misses += 1 }
    check(value, key)
  }

  private mutating func insert(_ key: Int) async {
    if behaviour == .gettingOrInserting {
      check(await dictionary.value(forKey: key) { KeyedValue.first(for: key) }, key)
      return
    }
    await dictionary.setValue(KeyedValue.first(for: key), forKey: key)
    insertsSinceEmptied += 1
    guard insertsSinceEmptied >= entryLimit else { return }
    insertsSinceEmptied = 0
    await dictionary.removeAll()
  }

  private mutating func update(_ key: Int) async {
    if behaviour == .monitoring {
      check(await dictionary.value(forKey: key) { KeyedValue.first(for: key) }, key)
    }
    let new = await dictionary.update(key) { value in
      let new = (value ?? KeyedValue.first(for: key)) + 1
      value = new
      return new
    }
    check(new, key)
    updates += 1
  }

  private mutating func iterate() async {
    var sum = 0
    await dictionary.forEach { key, value in sum &+= value ^ key }
    consume(sum)
  }

  private mutating func check(_ value: Int?, _ key: Int) {
    guard let value else { return }
    consume(value)
    if KeyedValue.key(of: value) != key { strangeValues += 1 }
  }
}
