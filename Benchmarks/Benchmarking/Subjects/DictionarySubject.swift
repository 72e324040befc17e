import Primitives
import Threading
import WeakCollections
import Workloads

/// A dictionary under trial.
struct DictionarySubject<D: ConcurrentDictionary & Sendable, E: DictionaryEntries>: TrialSubject
where D.Key == E.Key, D.Value == E.Value {
  private let specification: TrialSpecification
  private let inputs: [WorkerInput]
  private let entries: E
  private let entriesOfWorkers: [E]
  private let population: Census
  private var dictionary: D?

  init(_ specification: TrialSpecification) {
    self.specification = specification
    inputs = WorkerInput.all(for: specification)
    let census = Census(workers: specification.threads)
    let range = specification.workload.keyRange(forSize: specification.size)
    let entries = E(range: max(range, specification.size), tally: census.tallies[0])
    self.entries = entries
    entriesOfWorkers = census.tallies.map { entries.copy(for: $0) }
    population = census
  }

  var census: Census? { population }

  mutating func start() {
    dictionary = D()
  }

  func fill(_ count: Int) async {
    for number in 0..<count {
      await dictionary!.setValue(entries.first(number), forKey: entries.key(number))
    }
  }

  func empty() async {
    await dictionary!.removeAll()
  }

  func worker(at index: Int, prefilled: Int) -> DictionaryWorker<D, E> {
    DictionaryWorker(
      dictionary: dictionary!, entries: entriesOfWorkers[index], input: inputs[index],
      specification)
  }

  func verify(_ workers: [DictionaryWorker<D, E>]) async -> String? {
    let strange = workers.reduce(0) { $0 + $1.strangeValues }
    if strange > 0 { return "\(strange) values were another key's" }
    let misses = workers.reduce(0) { $0 + $1.misses }
    if specification.workload.findsEverything && misses > 0 {
      return "\(misses) keys were not found"
    }
    let snapshot = await dictionary!.snapshot
    let count = await dictionary!.count
    if snapshot.count != count { return "count is \(count), the snapshot has \(snapshot.count)" }
    if let reason = await verify(snapshot) { return reason }
    guard specification.workload.countsUpdates else { return await verifyFromEmpty() }
    let done = workers.reduce(0) { $0 + $1.updates }
    let counted = snapshot.values.reduce(0) { $0 + KeyedValue.updates(in: E.content(of: $1)) }
    return done == counted ? nil : "\(done) updates were made, \(counted) were kept"
  }

  /// Each key has its own value, the same by itself as among all.
  private func verify(_ snapshot: [D.Key: D.Value]) async -> String? {
    for (key, value) in snapshot {
      let content = E.content(of: value)
      if KeyedValue.key(of: content) != entries.number(of: key) {
        return "key \(key) has the value of another"
      }
      let found = await dictionary!.value(forKey: key).map(E.content)
      if found != content { return "key \(key) has \(content) in the snapshot, else \(found ?? 0)" }
    }
    return nil
  }

  /// Values are set over each other, so that of most nothing is known; but it must work.
  private func verifyFromEmpty() async -> String? {
    await empty()
    let count = min(100, specification.size)
    await fill(count)
    let found = await dictionary!.snapshot
    let isRight = (0..<count).allSatisfy { number in
      found[entries.key(number)].map(E.content) == KeyedValue.first(for: number)
    }
    return isRight && found.count == count
      ? nil : "\(count) keys were set, \(found.count) are there, or others"
  }
}
