import CPeers
import Threading
import Workloads

/// Another language's map under trial.
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
      preconditionFailure("a subject of another language's map is made for one")
    }
    handle = ForeignMapHandle(map, capacity: specification.size)
  }

  func fill(_ count: Int) async {
    handle!.use { map in
      for key in 0..<count { cp_set(map, Int64(key), Int64(KeyedValue.first(for: key))) }
    }
  }

  func empty() async {
    let range = specification.workload.keyRange(forSize: specification.size)
    handle!.use { map in
      for key in 0..<range { _ = cp_remove(map, Int64(key)) }
    }
  }

  func worker(at index: Int, prefilled: Int) -> ForeignMapWorker {
    ForeignMapWorker(handle!, inputs[index], specification.workload.work(ofWorker: index))
  }

  func verify(_ workers: [ForeignMapWorker]) async -> String? {
    let strange = workers.reduce(0) { $0 + $1.strangeValues }
    if strange > 0 { return "\(strange) values were another key's" }
    let misses = workers.reduce(0) { $0 + $1.misses }
    if specification.workload.findsEverything && misses > 0 {
      return "\(misses) keys were not found"
    }
    await empty()
    let left = handle!.use { cp_count($0) }
    if left > 0 { return "\(left) keys were left when all were removed" }
    let count = min(100, specification.size)
    await fill(count)
    let isRight = handle!.use { map in
      (0..<Int64(count)).allSatisfy { key in
        var value: Int64 = -1
        return cp_get(map, key, &value) && KeyedValue.key(of: Int(value)) == Int(key)
      } && cp_count(map) == count
    }
    return isRight ? nil : "\(count) keys were set, others are there"
  }

  var census: Census? { nil }
}

/// Owns a map. `@unchecked`: the maps are for any number of threads.
final class ForeignMapHandle: @unchecked Sendable {
  private let map: OpaquePointer

  init(_ map: ForeignMap, capacity: Int) {
    self.map = map.make(capacity: capacity)
  }

  deinit { cp_destroy(map) }

  /// Says to the map that the calling thread is about to use it, and has used it.
  func use<R>(_ body: (OpaquePointer) -> R) -> R {
    cp_enter(map)
    defer { cp_leave(map) }
    return body(map)
  }
}
