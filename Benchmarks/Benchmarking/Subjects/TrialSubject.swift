import Threading
import WeakCollections
import Workloads

/// A collection under trial, with everything that its workers need, made before the clock starts.
///
/// A subject knows its collection as an existential: to fill and to verify it is not timed, and would
/// be compiled for every collection otherwise. Its workers are made where the collection's type is known.
protocol TrialSubject: Sendable {
  /// Makes the collection.
  mutating func start()

  /// Puts `count` entries in.
  func fill(_ count: Int) async

  /// Takes everything out.
  func empty() async

  /// A worker for the collection, which holds `prefilled` entries.
  func worker(at index: Int, prefilled: Int) -> AnyWorker

  /// What the collection did wrong, now that all workers have stopped; nil if nothing.
  ///
  /// `findings` has those of each worker, in their order.
  func verify(_ findings: [WorkerFindings]) async -> String?

  /// What was not released, once the workers and the collection are gone; nil if everything was.
  var census: Census? { get }
}

/// Makes keys, schedules and objects for a trial; no collection yet.
typealias SubjectFactory = @Sendable (TrialSpecification) -> any TrialSubject

/// What one worker of a trial does, and what it must remember to do it.
protocol TrialWorker: Sendable {
  /// Does the next operation of the schedule and consumes its result.
  mutating func operate() async

  var findings: WorkerFindings { get }
}

extension TrialWorker {
  var findings: WorkerFindings { WorkerFindings() }
}

/// What a worker noticed of its collection, and what it left there.
struct WorkerFindings: Sendable {
  /// Reads that found nothing.
  var misses = 0
  /// Values that said they were another key's.
  var strangeValues = 0
  var updates = 0
  var deadElements = 0
  /// Removals of what it had put in that found nothing.
  var missedRemovals = 0
  /// Drawn objects that it inserted, less those that it removed.
  var balance = 0
  /// The objects that it put in and keeps alive.
  var owned: [Member] = []
}

/// A worker of whatever type, whose loop is specialized for that type.
///
/// Made of closures because Swift specializes these for the type that made them, and never a witness
/// table of a generic type. It costs one call through a pointer for each call of `operate`.
struct AnyWorker: Sendable {
  private let loop: @Sendable (inout Meter) async -> Void
  private let readFindings: @Sendable () -> WorkerFindings

  init<W: TrialWorker>(_ worker: W) {
    let state = State(worker)
    self.init {
      // The loop works on a variable of its own, not in memory that others may see.
      var worker = state.worker
      await TimingLoop.run(&worker, &$0)
      state.worker = worker
    } findings: {
      state.worker.findings
    }
  }

  /// A worker with a loop of its own.
  init(
    loop: @escaping @Sendable (inout Meter) async -> Void,
    findings: @escaping @Sendable () -> WorkerFindings
  ) {
    self.loop = loop
    readFindings = findings
  }

  /// Operates until `meter` ends the loop; not in two tasks at the same time.
  func operate(_ meter: inout Meter) async { await loop(&meter) }

  var findings: WorkerFindings { readFindings() }

  // @unchecked: one task uses it at a time, and tasks hand it over.
  private final class State<W>: @unchecked Sendable {
    var worker: W

    init(_ worker: W) { self.worker = worker }
  }
}

/// The keys and operations of one worker, drawn before the clock starts.
///
/// All workers draw from one range of keys. Both tables are walked again and again; their lengths have
/// no common divisor, so that the same key does not always meet the same operation.
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
    guard workload.behaviour == .sliding else {
      let range = workload.keyRange(forSize: specification.size)
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

  /// The key that comes into the window after the draws that were made, and the one that leaves.
  func slide(_ window: SlidingWindow) -> (next: Int, oldest: Int) {
    (window.next(afterDraws: keys.position), window.oldest(afterDraws: keys.position))
  }
}

extension SlidingWindow {
  init(_ specification: TrialSpecification) {
    self.init(size: specification.size, insertShare: specification.workload.mix.insert)
  }
}

/// Walks through a table again and again.
///
/// It has the table's address and length itself, and its steps cannot overflow: a step of the timed loop
/// is then a load and a comparison.
struct TableCursor<Element: Sendable>: @unchecked Sendable {
  // @unchecked: the table, which `start` points into, is immutable.
  let table: Table<Element>
  private let start: UnsafePointer<Element>
  private let count: Int
  private var index = 0
  /// Of the next element.
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

/// An immutable array in memory of its own, read without bounds checks or reference counts.
final class Table<Element: Sendable>: @unchecked Sendable {
  // @unchecked: written by the initializer alone.
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

  /// Of the first element; good as long as the table lives.
  var start: UnsafePointer<Element> { UnsafePointer(elements) }

  subscript(index: Int) -> Element { elements[index] }

  func map<T>(_ transform: (Element) -> T) -> [T] {
    (0..<count).map { transform(elements[$0]) }
  }
}

/// The keys and operations of one worker as other programs get them.
public struct WorkerTables: Sendable {
  public let keys: [Int]
  public let operations: [OperationKind]

  /// Those that every contestant of a trial with this seed walks through.
  public static func all(
    for workload: Workload, threads: Int, size: Int, seed: Seed
  ) -> [WorkerTables] {
    let specification = TrialSpecification(
      contestant: .baseline(for: .dictionary), workload: workload, threads: threads, size: size,
      seed: seed, number: 1, warmupSeconds: 0, seconds: 0)
    return WorkerInput.all(for: specification).map { input in
      WorkerTables(
        keys: input.keys.table.map { $0 }, operations: input.operations.table.map { $0 })
    }
  }
}

extension Workload {
  /// Whether every read must find something: what was there at the start stays.
  var findsEverything: Bool {
    behaviour == .replacing || mix.insert + mix.remove == 0 && behaviour == .steady
  }

  /// Whether every update is in some value at the end: nothing is set anew or removed.
  var countsUpdates: Bool {
    behaviour == .monitoring || mix.insert + mix.remove == 0 && behaviour == .steady
  }
}
