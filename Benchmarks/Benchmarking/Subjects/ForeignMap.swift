import CPeers
import Threading
import Workloads

/// A map of another language, in builds with the trait `Peers`.
enum ForeignMap: String, CaseIterable, Sendable {
  case tbb = "tbb"
  case urcu = "liburcu"
  case sharedMutex = "shared-mutex"

  static var available: [ForeignMap] { cp_is_available() ? allCases : [] }

  /// The name of the type in its own language.
  var typeName: String {
    switch self {
    case .tbb: "tbb::concurrent_hash_map"
    case .urcu: "cds_lfht (memb)"
    case .sharedMutex: "std::unordered_map + std::shared_mutex"
    }
  }

  /// Returns whether the maps support `workload`: they map integers to integers, and only have
  /// basic operations.
  static func supports(_ workload: Workload) -> Bool {
    guard workload.mix.update + workload.mix.iterate == 0, workload.entryTypes == .integerToInteger
    else { return false }
    return [.steady, .replacing, .turningOver].contains(workload.behavior)
  }

  func make(capacity: Int) -> OpaquePointer {
    let kind =
      switch self {
      case .tbb: CP_TBB
      case .urcu: CP_URCU
      case .sharedMutex: CP_SHARED_MUTEX
      }
    return cp_make(kind, Int64(capacity))
  }
}

/// A map of another language under trial.
struct ForeignMapSubject: TrialSubject {
  private let specification: TrialSpecification
  private let inputs: [WorkerInput]
  private var handle: ForeignMapHandle?

  init(_ specification: TrialSpecification) {
    self.specification = specification
    inputs = WorkerInput.all(for: specification)
  }

  mutating func start() {
    guard case .foreign(let map) = specification.contestant.design else {
      fatalError(
        "'\(specification.contestant.name)' is not a map of another language; use its own subject")
    }
    handle = ForeignMapHandle(map, capacity: specification.entries)
  }

  func fill(_ count: Int) async {
    handle!.use { map in
      for key in 0..<count { cp_set(map, Int64(key), Int64(KeyedValue.first(for: key))) }
    }
  }

  func empty() async {
    let range = specification.workload.keyRange(forEntries: specification.entries)
    handle!.use { map in
      for key in 0..<range { _ = cp_remove(map, Int64(key)) }
    }
  }

  func worker(at index: Int, prefilled: Int) -> AnyWorker {
    let workload = specification.workload.work(ofWorker: index)
    let worker = ForeignMapWorker(handle!, inputs[index], workload)
    return AnyWorker(loop: { worker.operate(&$0) }, findings: { worker.findings })
  }

  func verify(_ findings: [WorkerFindings]) async -> String? {
    if let reason = findings.wrongResult(in: specification.workload) { return reason }
    await empty()
    let left = handle!.use { cp_count($0) }
    if left > 0 { return "\(left) keys are left after the removal of all keys" }
    let count = min(100, specification.entries)
    await fill(count)
    let isRight = handle!.use { map in
      (0..<Int64(count)).allSatisfy { key in
        var value: Int64 = -1
        return cp_get(map, key, &value) && KeyedValue.key(of: Int(value)) == Int(key)
      } && cp_count(map) == count
    }
    return isRight ? nil : "after \(count) insertions, the map has other keys or values"
  }

  var lifetimes: LifetimeCounter? { nil }
}

/// The owner of a map. `@unchecked`: the maps are safe for any number of threads.
final class ForeignMapHandle: @unchecked Sendable {
  private let map: OpaquePointer

  init(_ map: ForeignMap, capacity: Int) {
    self.map = map.make(capacity: capacity)
  }

  deinit { cp_destroy(map) }

  /// Runs `body` with the calling thread registered in the map.
  func use<R>(_ body: (OpaquePointer) -> R) -> R {
    cp_enter(map)
    defer { cp_leave(map) }
    return body(map)
  }
}

/// One worker of a trial of a map of another language, with the same keys and operations as other
/// workers, but with its own loop.
struct ForeignMapWorker: Sendable {
  private let handle: ForeignMapHandle
  private let state: State

  init(_ handle: ForeignMapHandle, _ input: WorkerInput, _ workload: Workload) {
    self.handle = handle
    state = State(input, workload)
  }

  var findings: WorkerFindings {
    WorkerFindings(
      misses: Int(state.worker.pointee.misses),
      wrongValues: Int(state.worker.pointee.wrong_values))
  }

  /// Runs the loop in the map's language, which checks the stop flag itself.
  func operate(_ meter: inout Meter) {
    guard let stop = meter.stop else {
      let count = meter.count
      handle.use { cp_operate($0, state.worker, Int64(count)) }
      return meter.add(count)
    }
    meter.add(handle.use { Int(cp_operate_until($0, state.worker, stop.address)) })
  }

  /// The state of the loop in C structures.
  // @unchecked: only one worker uses it, and tasks synchronize when they pass a worker on.
  private final class State: @unchecked Sendable {
    let worker = UnsafeMutablePointer<cp_worker>.allocate(capacity: 1)
    private let keys: Table<Int64>
    private let operations: Table<UInt8>

    init(_ input: WorkerInput, _ workload: Workload) {
      keys = Table(input.keys.table.map(Int64.init))
      operations = Table(input.operations.table.map(Self.number))
      worker.initialize(to: cp_worker())
      worker.pointee.keys = keys.start
      worker.pointee.key_count = Int64(keys.count)
      worker.pointee.operations = operations.start
      worker.pointee.operation_count = Int64(operations.count)
      worker.pointee.turns_over = workload.behavior == .turningOver
    }

    deinit { worker.deallocate() }

    private static func number(of operation: OperationKind) -> UInt8 {
      switch operation {
      case .read: UInt8(CP_READ)
      case .insert: UInt8(CP_INSERT)
      case .remove: UInt8(CP_REMOVE)
      case .update, .iterate:
        fatalError(
          "a map of another language has no operation '\(operation.rawValue)'; "
            + "choose a workload that `supports(_:)` accepts")
      }
    }
  }
}
