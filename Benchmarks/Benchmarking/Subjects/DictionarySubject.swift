import Primitives
import Threading
import WeakCollections
import Workloads

/// A dictionary of any type under trial.
struct DictionarySubject<E: DictionaryEntries>: TrialSubject {
  /// A dictionary, and a factory of workers that are specialized for its type.
  struct Started: Sendable {
    let dictionary: any ConcurrentDictionary<E.Key, E.Value> & Sendable
    let makeWorker: @Sendable (E, WorkerInput, TrialSpecification) -> AnyWorker
  }

  private let specification: TrialSpecification
  private let inputs: [WorkerInput]
  private let entries: E
  private let entriesOfWorkers: [E]
  let lifetimes: LifetimeCounter?
  private let makeDictionary: @Sendable () -> Started
  private var started: Started?

  init<D: ConcurrentDictionary & Sendable>(of type: D.Type, _ specification: TrialSpecification)
  where D.Key == E.Key, D.Value == E.Value {
    self.init(specification) {
      let dictionary = D()
      return Started(dictionary: dictionary) { entries, input, specification in
        AnyWorker(
          DictionaryWorker(
            dictionary: dictionary, entries: entries, input: input, specification))
      }
    }
  }

  init(_ specification: TrialSpecification, makeDictionary: @escaping @Sendable () -> Started) {
    self.specification = specification
    self.makeDictionary = makeDictionary
    inputs = WorkerInput.all(for: specification)
    let lifetimes = LifetimeCounter(workers: specification.threads)
    let range = specification.workload.keyRange(forEntries: specification.entries)
    let entries = E(range: max(range, specification.entries), tally: lifetimes.tallies[0])
    self.entries = entries
    entriesOfWorkers = lifetimes.tallies.map { entries.copy(for: $0) }
    self.lifetimes = lifetimes
  }

  private var dictionary: any ConcurrentDictionary<E.Key, E.Value> & Sendable {
    started!.dictionary
  }

  mutating func start() {
    started = makeDictionary()
  }

  func fill(_ count: Int) async {
    for number in 0..<count {
      await dictionary.setValue(entries.first(number), forKey: entries.key(number))
    }
  }

  func empty() async {
    await dictionary.removeAll()
  }

  func worker(at index: Int, prefilled: Int) -> AnyWorker {
    started!.makeWorker(entriesOfWorkers[index], inputs[index], specification)
  }

  func verify(_ findings: [WorkerFindings]) async -> String? {
    if let reason = findings.wrongResult(in: specification.workload) { return reason }
    let snapshot = await dictionary.snapshot
    let count = await dictionary.count
    if snapshot.count != count {
      return "count is \(count), but the snapshot has \(snapshot.count) keys"
    }
    if let reason = await verify(snapshot) { return reason }
    guard specification.workload.countsUpdates else { return await verifyFromEmpty() }
    let done = findings.total(\.updates)
    let counted = snapshot.values.reduce(0) { $0 + KeyedValue.updates(in: E.content(of: $1)) }
    return done == counted ? nil : "workers made \(done) updates, but the values count \(counted)"
  }

  /// Checks that each key has its own value, and the same in the snapshot as in a lookup.
  private func verify(_ snapshot: [E.Key: E.Value]) async -> String? {
    for (key, value) in snapshot {
      let content = E.content(of: value)
      if KeyedValue.key(of: content) != entries.number(of: key) {
        return "key \(key) has the value of key \(KeyedValue.key(of: content))"
      }
      let found = await dictionary.value(forKey: key).map(E.content)
      if found != content {
        return "key \(key) has value \(content) in the snapshot, but a lookup found "
          + (found.map { "\($0)" } ?? "nothing")
      }
    }
    return nil
  }

  /// Checks an emptied and refilled dictionary.
  ///
  /// The workers overwrote each other's values, so the expected state after the trial is unknown.
  private func verifyFromEmpty() async -> String? {
    await empty()
    let count = min(100, specification.entries)
    await fill(count)
    let found = await dictionary.snapshot
    let isRight = (0..<count).allSatisfy { number in
      found[entries.key(number)].map(E.content) == KeyedValue.first(for: number)
    }
    return isRight && found.count == count
      ? nil
      : "after removeAll and \(count) insertions, the dictionary has \(found.count) keys or "
        + "wrong values"
  }
}

/// One worker of a dictionary's trial.
///
/// It draws numbers, and `entries` converts them to keys and values. All functions of an operation
/// are inlined: a call of an `async` function in the loop would check the task's executor in each
/// iteration.
struct DictionaryWorker<D: ConcurrentDictionary & Sendable, E: DictionaryEntries>: TrialWorker
where D.Key == E.Key, D.Value == E.Value {
  private let dictionary: D
  private let entries: E
  private var input: WorkerInput
  private let behavior: Workload.Behavior
  private let entryLimit: Int
  private let window: SlidingWindow
  private var insertsSinceEmptied = 0
  private var removesNext = false
  private var updates = 0
  private var misses = 0
  private var wrongValues = 0

  init(dictionary: D, entries: E, input: WorkerInput, _ specification: TrialSpecification) {
    self.dictionary = dictionary
    self.entries = entries
    self.input = input
    behavior = specification.workload.behavior
    entryLimit = specification.workload.entryLimit(forEntries: specification.entries) ?? .max
    window = SlidingWindow(specification)
  }

  var findings: WorkerFindings {
    WorkerFindings(misses: misses, wrongValues: wrongValues, updates: updates)
  }

  @inline(__always)
  mutating func operate() async {
    let number = input.nextKey()
    switch input.nextOperation() {
    case .read: await read(number)
    case .insert: await insert(number)
    case .update: await update(number)
    case .remove: check(await dictionary.removeValue(forKey: entries.key(number)), number)
    case .iterate: await iterate(number)
    }
  }

  @inline(__always)
  private mutating func read(_ number: Int) async {
    let value = await dictionary.value(forKey: entries.key(number))
    if value == nil { misses += 1 }
    check(value, number)
  }

  @inline(__always)
  private mutating func insert(_ number: Int) async {
    switch behavior {
    case .gettingOrInserting:
      check(
        await dictionary.value(forKey: entries.key(number)) { [entries] in entries.first(number) },
        number)
      return
    case .turningOver:
      removesNext.toggle()
      guard removesNext else {
        return check(await dictionary.removeValue(forKey: entries.key(number)), number)
      }
    case .sliding: return await slide()
    default: break
    }
    await dictionary.setValue(entries.first(number), forKey: entries.key(number))
    insertsSinceEmptied += 1
    guard insertsSinceEmptied >= entryLimit else { return }
    insertsSinceEmptied = 0
    await dictionary.removeAll()
  }

  @inline(__always)
  private mutating func slide() async {
    let (next, oldest) = input.slide(window)
    await dictionary.setValue(entries.first(next), forKey: entries.key(next))
    check(await dictionary.removeValue(forKey: entries.key(oldest)), oldest)
  }

  @inline(__always)
  private mutating func update(_ number: Int) async {
    let key = entries.key(number)
    if behavior == .monitoring {
      check(await dictionary.value(forKey: key) { [entries] in entries.first(number) }, number)
    }
    let new = await dictionary.update(key) { [entries] value in
      let new = entries.updated(value ?? entries.first(number))
      value = new
      return new
    }
    check(new, number)
    updates += 1
  }

  @inline(__always)
  private mutating func iterate(_ number: Int) async {
    if behavior == .sliding { return await getMany(from: number) }
    var sum = 0
    await dictionary.forEach { key, value in sum &+= E.content(of: value) ^ E.trace(of: key) }
    consume(sum)
  }

  /// Gets adjacent keys from `number` on, which are in the window; they wrap around at the range's
  /// end.
  @inline(__always)
  private mutating func getMany(from number: Int) async {
    let numbers = (0..<min(Workload.keysOfScan, window.size)).map { (number + $0) % window.range }
    let values = await dictionary.values(forKeys: numbers.map { entries.key($0) })
    for (number, value) in zip(numbers, values) { check(value, number) }
  }

  private mutating func check(_ value: E.Value?, _ number: Int) {
    guard let value else { return }
    let content = E.content(of: value)
    consume(content)
    if KeyedValue.key(of: content) != number { wrongValues += 1 }
  }
}

extension Contestant {
  /// Returns a factory of subjects with the contestant's dictionary.
  ///
  /// The compiler emits the specializations for all dictionaries into the file of the caller. The
  /// types of entries call it from different files, which the compiler optimizes in parallel.
  func subjectFactory<E: DictionaryEntries>(on entries: E.Type) async throws -> SubjectFactory {
    try await withDictionary(SubjectOfDictionary<E>())
  }
}

extension IntegerEntries {
  static func subjectFactory(for contestant: Contestant) async throws -> SubjectFactory {
    try await contestant.subjectFactory(on: IntegerEntries.self)
  }
}

private struct SubjectOfDictionary<E: DictionaryEntries>: DictionaryVisitor {
  typealias Key = E.Key
  typealias Value = E.Value

  func visit<D: ConcurrentDictionary & Sendable>(_ type: D.Type) async -> SubjectFactory
  where D.Key == E.Key, D.Value == E.Value {
    { DictionarySubject<E>(of: D.self, $0) }
  }
}
