import Workloads

/// The keys and operations of one worker, drawn before the clock starts.
///
/// All workers draw from one range of keys. Both tables are walked again and again; their lengths have
/// no common divisor, so that the same key does not always meet the same operation.
struct WorkerInput: Sendable {
  private let keys: Table<Int>
  private let operations: Table<OperationKind>
  private var nextKeyIndex = 0
  private var nextOperationIndex = 0

  private static let keyCount = 32_771  // A prime; 256 KiB.

  init(_ specification: TrialSpecification, worker: Int) {
    let seed = specification.seed.derived(for: .worker, index: worker)
    let range = specification.workload.keyRange(forSize: specification.size)
    keys = Table(
      KeyDistribution.uniform.keys(
        count: Self.keyCount, range: range, seed: seed.derived(for: .keys)))
    operations = Table(
      OperationSchedule(mix: specification.workload.mix, seed: seed.derived(for: .schedule))
        .operations)
  }

  static func all(for specification: TrialSpecification) -> [WorkerInput] {
    (0..<specification.threads).map { WorkerInput(specification, worker: $0) }
  }

  mutating func nextKey() -> Int {
    let key = keys[nextKeyIndex]
    nextKeyIndex += 1
    if nextKeyIndex == keys.count { nextKeyIndex = 0 }
    return key
  }

  mutating func nextOperation() -> OperationKind {
    let operation = operations[nextOperationIndex]
    nextOperationIndex += 1
    if nextOperationIndex == operations.count { nextOperationIndex = 0 }
    return operation
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

  subscript(index: Int) -> Element { elements[index] }
}
