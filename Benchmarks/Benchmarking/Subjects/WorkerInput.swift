import Workloads

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
