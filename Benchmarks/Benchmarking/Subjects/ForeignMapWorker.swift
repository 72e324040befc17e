import CPeers
import Workloads

/// One worker of a trial of another language's map: our keys and operations, its own loop.
struct ForeignMapWorker: TrialWorker {
  private let handle: ForeignMapHandle
  private let state: State

  init(_ handle: ForeignMapHandle, _ input: WorkerInput, _ workload: Workload) {
    self.handle = handle
    state = State(input, workload)
  }

  var misses: Int { Int(state.worker.pointee.misses) }
  var strangeValues: Int { Int(state.worker.pointee.strange_values) }

  mutating func operate() async {
    handle.use { cp_operate($0, state.worker, 1) }
  }

  mutating func operate(until stop: StopSign) async -> Int {
    handle.use { Int(cp_operate_until($0, state.worker, stop.address)) }
  }

  /// What the loop needs, in memory that it knows how to read.
  // @unchecked: one worker uses it at a time, and workers are handed over by tasks.
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
      worker.pointee.turns_over = workload.behaviour == .turningOver
    }

    deinit { worker.deallocate() }

    private static func number(of operation: OperationKind) -> UInt8 {
      switch operation {
      case .read: UInt8(CP_READ)
      case .insert: UInt8(CP_INSERT)
      case .remove: UInt8(CP_REMOVE)
      case .update, .iterate: preconditionFailure("a foreign map has no such operation")
      }
    }
  }
}
