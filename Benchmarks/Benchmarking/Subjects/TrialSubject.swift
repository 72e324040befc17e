import Threading
import WeakCollections
import Workloads

/// A collection under trial, with the data of its workers, all created before the clock starts.
///
/// A subject stores its collection as an existential. Filling and verifying are not timed, and
/// otherwise the compiler would specialize them for every collection. The workers are created where
/// the collection's type is known.
protocol TrialSubject: Sendable {
  /// Creates the collection.
  mutating func start()

  /// Adds `count` entries.
  func fill(_ count: Int) async

  /// Removes all entries.
  func empty() async

  /// Returns a worker for the collection, which has `prefilled` entries.
  func worker(at index: Int, prefilled: Int) -> AnyWorker

  /// Verifies the collection after all workers have stopped.
  ///
  /// - Parameter findings: The findings of each worker, in order.
  /// - Returns: A description of the first error, or `nil` if the collection is correct.
  func verify(_ findings: [WorkerFindings]) async -> String?

  /// The lifetime counter, whose objects must all be dead once the workers and the collection are
  /// deallocated; `nil` if the subject counts none.
  var lifetimes: LifetimeCounter? { get }
}

/// A function that creates keys, schedules and objects for a trial, but not yet the collection.
typealias SubjectFactory = @Sendable (TrialSpecification) -> any TrialSubject

/// One worker of a trial, with its state.
protocol TrialWorker: Sendable {
  /// Performs the next operation of the schedule and consumes its result.
  mutating func operate() async

  var findings: WorkerFindings { get }
}

extension TrialWorker {
  var findings: WorkerFindings { WorkerFindings() }
}

/// The observations of one worker, for the verification of the collection.
struct WorkerFindings: Sendable {
  /// Reads that found nothing.
  var misses = 0
  /// Values that belong to another key.
  var wrongValues = 0
  var updates = 0
  var deadElements = 0
  /// Removals of the worker's own objects that found nothing.
  var missedRemovals = 0
  /// The number of drawn objects that the worker inserted, less those that it removed.
  var balance = 0
  /// The objects that the worker added and keeps alive.
  var owned: [Member] = []
}

extension [WorkerFindings] {
  func total(_ count: (WorkerFindings) -> Int) -> Int { reduce(0) { $0 + count($1) } }

  /// Returns a description of the first wrong result of an operation, or `nil` if all are correct.
  func wrongResult(in workload: Workload) -> String? {
    let (wrong, dead, misses) = (total(\.wrongValues), total(\.deadElements), total(\.misses))
    if wrong > 0 { return "\(wrong) values belonged to other keys" }
    if dead > 0 { return "\(dead) dead elements were returned" }
    guard workload.findsEverything, misses > 0 else { return nil }
    return "\(misses) \(workload.subject == .dictionary ? "keys" : "elements") were not found"
  }
}

/// A type-erased worker, whose loop is specialized for the worker's type.
///
/// It consists of closures, because Swift specializes closures for the concrete type, but never the
/// witness table of a generic type. Each call of `operate` costs one indirect call.
struct AnyWorker: Sendable {
  private let loop: @Sendable (inout Meter) async -> Void
  private let readFindings: @Sendable () -> WorkerFindings

  init<W: TrialWorker>(_ worker: W) {
    let state = State(worker)
    self.init {
      // A local variable, so that the loop's state is not in memory that other code may access.
      var worker = state.worker
      await TimingLoop.run(&worker, &$0)
      state.worker = worker
    } findings: {
      state.worker.findings
    }
  }

  /// Creates a worker with its own loop.
  init(
    loop: @escaping @Sendable (inout Meter) async -> Void,
    findings: @escaping @Sendable () -> WorkerFindings
  ) {
    self.loop = loop
    readFindings = findings
  }

  /// Operates until `meter` ends the loop; must not run in two tasks concurrently.
  func operate(_ meter: inout Meter) async { await loop(&meter) }

  var findings: WorkerFindings { readFindings() }

  // @unchecked: only one task uses it at a time, and tasks synchronize when they pass it on.
  private final class State<W>: @unchecked Sendable {
    var worker: W

    init(_ worker: W) { self.worker = worker }
  }
}

/// The keys and operations of one worker, drawn before the clock starts.
///
/// All workers draw from the same range of keys. A worker cycles through both tables. Their lengths
/// are coprime, so that a key does not always get the same operation.
struct WorkerInput: Sendable {
  private(set) var keys: TableCursor<Int>
  private(set) var operations: TableCursor<OperationKind>

  private static let keyCount = 32_771  // A prime; 256 KiB.

  init(_ specification: TrialSpecification, worker: Int) {
    let seed = specification.seed.derived(for: .worker, index: worker)
    keys = TableCursor(Self.keys(for: specification, seed: seed.derived(for: .keys)))
    operations = TableCursor(
      OperationSchedule(
        mix: specification.workload.work(ofWorker: worker).mix,
        seed: seed.derived(for: .schedule)
      ).operations)
  }

  private static func keys(for specification: TrialSpecification, seed: Seed) -> [Int] {
    let workload = specification.workload
    guard workload.behavior == .sliding else {
      let range = workload.keyRange(forEntries: specification.entries)
      return workload.keyDistribution.keys(count: keyCount, range: range, seed: seed)
    }
    let window = SlidingWindow(specification)
    return window.keys(
      atPlaces: workload.keyDistribution.keys(count: keyCount, range: window.size, seed: seed))
  }

  static func all(for specification: TrialSpecification) -> [WorkerInput] {
    (0..<specification.threads).map { WorkerInput(specification, worker: $0) }
  }

  @inline(__always)
  mutating func nextKey() -> Int { keys.next() }

  @inline(__always)
  mutating func nextOperation() -> OperationKind { operations.next() }

  /// Returns the key that enters the window after the draws so far, and the key that leaves it.
  func slide(_ window: SlidingWindow) -> (next: Int, oldest: Int) {
    (window.next(afterDraws: keys.position), window.oldest(afterDraws: keys.position))
  }
}

extension SlidingWindow {
  init(_ specification: TrialSpecification) {
    self.init(size: specification.entries, insertShare: specification.workload.mix.insert)
  }
}

/// A cursor that cycles through a table.
///
/// It stores the table's address and length, and its arithmetic has no overflow checks. A step in
/// the timed loop is therefore a load and a comparison.
struct TableCursor<Element: Sendable>: @unchecked Sendable {
  // @unchecked: the table, which `start` points into, is immutable.
  let table: Table<Element>
  private let start: UnsafePointer<Element>
  private let count: Int
  private var index = 0
  /// The position of the next element.
  var position: Int { index }

  init(_ elements: [Element]) {
    table = Table(elements)
    start = table.start
    count = table.count
  }

  @inline(__always)
  mutating func next() -> Element {
    let element = start[index]
    index &+= 1
    if index == count { index = 0 }
    return element
  }
}

/// An immutable array whose reads have no bounds checks and no reference counting.
final class Table<Element: Sendable>: @unchecked Sendable {
  // @unchecked: only the initializer writes.
  private let elements: UnsafeMutablePointer<Element>
  let count: Int

  init(_ elements: [Element]) {
    count = elements.count
    self.elements = .allocate(capacity: count)
    self.elements.initialize(from: elements, count: count)
  }

  deinit {
    elements.deinitialize(count: count)
    elements.deallocate()
  }

  /// The address of the first element, valid while the table lives.
  var start: UnsafePointer<Element> { UnsafePointer(elements) }

  subscript(index: Int) -> Element { elements[index] }

  func map<T>(_ transform: (Element) -> T) -> [T] {
    (0..<count).map { transform(elements[$0]) }
  }
}

extension Table<Member> {
  /// Creates the objects that the workers of a trial draw by key; `tally` counts them.
  convenience init(for specification: TrialSpecification, _ tally: LifetimeCounter.Tally) {
    let range = specification.workload.keyRange(forEntries: specification.entries)
    self.init((0..<max(range, specification.entries)).map { _ in Member(tally) })
  }
}

/// The keys and operations of one worker, for programs in other languages.
package struct WorkerTables: Sendable {
  /// The keys, through which the worker cycles.
  package let keys: [Int]
  /// The operations, through which the worker cycles.
  package let operations: [OperationKind]

  /// Returns the tables of each worker in a trial with this seed, the same for every contestant.
  ///
  /// - Parameters:
  ///   - workload: A workload for dictionaries; any other traps.
  ///   - threads: The number of workers; traps unless it is positive.
  ///   - entries: The number of entries; traps unless it is positive.
  ///   - seed: The seed of the trial.
  package static func all(
    for workload: Workload, threads: Int, entries: Int, seed: Seed
  ) -> [WorkerTables] {
    let specification = TrialSpecification(
      contestant: .baseline(for: .dictionary), workload: workload, threads: threads,
      entries: entries,
      seed: seed, number: 1, warmupSeconds: 0, seconds: 0)
    return WorkerInput.all(for: specification).map { input in
      WorkerTables(
        keys: input.keys.table.map { $0 }, operations: input.operations.table.map { $0 })
    }
  }
}

extension Workload {
  /// Whether every read must succeed, because no entry is removed.
  var findsEverything: Bool {
    behavior == .replacing || mix.insert + mix.remove == 0 && behavior == .steady
  }

  /// Whether the final values count all updates, because no value is replaced or removed.
  var countsUpdates: Bool {
    behavior == .monitoring || mix.insert + mix.remove == 0 && behavior == .steady
  }
}
