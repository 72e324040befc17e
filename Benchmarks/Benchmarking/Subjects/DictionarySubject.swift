import Primitives
import Threading
import WeakCollections
import Workloads

/// A dictionary from `Int` to `Int` under trial.
struct DictionarySubject<D: ConcurrentDictionary & Sendable>: TrialSubject
where D.Key == Int, D.Value == Int {
  private let specification: TrialSpecification
  private let inputs: [WorkerInput]
  private var dictionary: D?

  init(_ specification: TrialSpecification) {
    self.specification = specification
    inputs = WorkerInput.all(for: specification)
  }

  mutating func start() {
    dictionary = D()
  }

  func fill(_ count: Int) async {
    for key in 0..<count { await dictionary!.setValue(KeyedValue.first(for: key), forKey: key) }
  }

  func empty() async {
    await dictionary!.removeAll()
  }

  func worker(at index: Int, prefilled: Int) -> DictionaryWorker<D> {
    DictionaryWorker(
      dictionary: dictionary!, input: inputs[index], workload: specification.workload,
      entryLimit: specification.workload.entryLimit(forSize: specification.size) ?? .max)
  }

  func verify(_ workers: [DictionaryWorker<D>]) async -> String? {
    let dictionary = dictionary!
    let strange = workers.reduce(0) { $0 + $1.strangeValues }
    if strange > 0 { return "\(strange) values were another key's" }
    let misses = workers.reduce(0) { $0 + $1.misses }
    if specification.workload.findsEverything && misses > 0 {
      return "\(misses) keys were not found"
    }
    let snapshot = await dictionary.snapshot
    let count = await dictionary.count
    if snapshot.count != count { return "count is \(count), the snapshot has \(snapshot.count)" }
    for (key, value) in snapshot {
      if KeyedValue.key(of: value) != key { return "key \(key) has the value of another" }
      let found = await dictionary.value(forKey: key)
      if found != value { return "key \(key) has \(value) in the snapshot, else \(found ?? 0)" }
    }
    guard specification.workload.behaviour == .monitoring else { return await verifyFromEmpty() }
    let done = workers.reduce(0) { $0 + $1.updates }
    let counted = snapshot.values.reduce(0) { $0 + KeyedValue.updates(in: $1) }
    return done == counted ? nil : "\(done) updates were made, \(counted) were kept"
  }

  /// Values are set over each other, so that of most nothing is known; but it must work.
  private func verifyFromEmpty() async -> String? {
    await empty()
    let count = min(100, specification.size)
    await fill(count)
    let expected = Dictionary(
      uniqueKeysWithValues: (0..<count).map { ($0, KeyedValue.first(for: $0)) })
    let found = await dictionary!.snapshot
    return found == expected ? nil : "\(count) keys were set, \(found.count) are there, or others"
  }

  var census: Census? { nil }
}

/// A value that says whose it is: the key in the upper bits, the number of updates in the lower 40.
enum KeyedValue {
  static func first(for key: Int) -> Int { key << 40 }
  static func key(of value: Int) -> Int { value >> 40 }
  static func updates(in value: Int) -> Int { value & (1 << 40 - 1) }
}
