#if Interleaving
  import Synchronization

  // A counting semaphore for tasks: N. Koval, D. Khalanskiy and D. Alistarh, "CQS: A
  // Formally-Verified Framework for Fair and Abortable Synchronization", PLDI 2023. Here a lock
  // replaces its lock-free queue.
  //
  //  1. A signal gives its permit to the first waiter in the queue, or else to the count.
  //  2. A waiter whose task is cancelled leaves the queue. So no signal gives its permit to a task
  //     that does not wait.
  //  3. A waiter that has a permit keeps it, even if its task is cancelled later.
  final class AsyncSemaphore: Sendable {
    static let name = "async semaphore"
    static let paper = "Koval, Khalanskiy and Alistarh, PLDI 2023"

    enum Defect: String {
      case leak = "a cancelled waiter stays in the queue, and the next permit is lost"
    }

    // @unchecked: the lock of `state` protects the fields.
    private final class Waiter: @unchecked Sendable {
      var continuation: CheckedContinuation<Bool, Never>?
      var isCancelled = false
    }

    private struct State {
      var permits: Int
      var queue: [Waiter] = []
    }

    private let defect: Defect?
    private let state: Mutex<State>

    init(permits: Int, defect: Defect?) {
      self.defect = defect
      state = Mutex(State(permits: permits))
    }

    /// Waits for a permit.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before it has one.
    func wait() async throws {
      let waiter = Waiter()
      let hasPermit = await withTaskCancellationHandler {
        await withCheckedContinuation { enqueue(waiter, $0) }
      } onCancel: {
        cancel(waiter)
      }
      if !hasPermit { throw CancellationError() }
    }

    func signal() {
      let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        guard !state.queue.isEmpty else {
          state.permits += 1
          return nil
        }
        return state.queue.removeFirst().continuation.take()
      }
      continuation?.resume(returning: true)
    }

    private func enqueue(_ waiter: Waiter, _ continuation: CheckedContinuation<Bool, Never>) {
      let hasPermit = state.withLock { state -> Bool? in
        if state.permits > 0 {
          state.permits -= 1
          return true
        }
        if waiter.isCancelled { return false }
        waiter.continuation = continuation
        state.queue.append(waiter)
        return nil
      }
      if let hasPermit { continuation.resume(returning: hasPermit) }
    }

    private func cancel(_ waiter: Waiter) {
      let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        waiter.isCancelled = true
        if defect != .leak { state.queue.removeAll { $0 === waiter } }
        return waiter.continuation.take()
      }
      continuation?.resume(returning: false)
    }
  }
#endif
