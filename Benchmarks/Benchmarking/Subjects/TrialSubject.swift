import Threading
import WeakCollections
import Workloads

/// A collection under trial, with everything that its workers need, made before the clock starts.
protocol TrialSubject: Sendable {
  associatedtype Worker: TrialWorker

  /// Makes keys, schedules and objects; no collection yet.
  init(_ specification: TrialSpecification)

  /// Makes the collection.
  mutating func start()

  /// Puts `count` entries in.
  func fill(_ count: Int) async

  /// Takes everything out.
  func empty() async

  /// A worker for the collection, which holds `prefilled` entries.
  func worker(at index: Int, prefilled: Int) -> Worker

  /// What the collection did wrong, now that all workers have stopped; nil if nothing.
  func verify(_ workers: [Worker]) async -> String?

  /// What was not released, once the workers and the collection are gone; nil if everything was.
  var census: Census? { get }
}

/// What one worker of a trial does, and what it must remember to do it.
protocol TrialWorker: Sendable {
  /// Does the next operation of the schedule and consumes its result.
  mutating func operate() async

  /// Operates until `stop` is up; returns how often.
  ///
  /// Workers in other languages do so themselves, so that they look at the sign and not at a call for
  /// each operation.
  mutating func operate(until stop: StopSign) async -> Int
}

extension TrialWorker {
  mutating func operate(until stop: StopSign) async -> Int {
    await TimingLoop.run(&self, until: stop)
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
