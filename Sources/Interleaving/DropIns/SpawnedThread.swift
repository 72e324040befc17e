import Primitives
import Threading

/// Starts a thread that runs `body`.
///
/// In an execution, the thread is a virtual one, which the scheduler can run immediately.
/// Elsewhere, it is an operating system thread.
///
/// ```swift
/// let thread = spawn { count.counter.wrappingAdd(1, ordering: .relaxed) }
/// thread.join()
/// ```
///
/// Traps if the execution or the system cannot create another thread.
///
/// - Parameter body: The work of the thread.
/// - Returns: The thread, which the caller must join.
public func spawn(_ body: @escaping @Sendable () -> Void) -> SpawnedThread {
  #if Interleaving
    if let execution = Execution.current {
      return SpawnedThread(kind: .virtual(execution.thread("", body)))
    }
  #endif
  return SpawnedThread(kind: .owned(OwnedThread(body)))
}

/// A thread that `spawn(_:)` started.
public struct SpawnedThread: ~Copyable, Sendable {
  fileprivate enum Kind {
    case owned(OwnedThread)
    /// The number of a virtual thread.
    case virtual(Int)
  }

  private let kind: Kind

  fileprivate init(kind: Kind) {
    self.kind = kind
  }

  /// Blocks the caller until the thread has ended. All its steps happened before the return.
  ///
  /// Traps if a virtual thread is joined outside of its execution.
  public consuming func join() {
    switch kind {
    case .owned(let thread): thread.join()
    case .virtual(let number): joinVirtual(number)
    }
  }

  private func joinVirtual(_ number: Int) {
    #if Interleaving
      guard let execution = Execution.current else {
        fatalError("a virtual thread must be joined in the execution that spawned it")
      }
      // The scenario runs before and after the threads, never concurrently.
      if execution.currentThread == 0 { execution.runThreads() } else { execution.join(number) }
    #endif
  }
}
