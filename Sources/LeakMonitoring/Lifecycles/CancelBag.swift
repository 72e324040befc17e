import WeakCollections

/// What is to be cancelled when its owner goes: observations, timers, tasks.
///
/// ```swift
/// final class Screen {
///   private let bag = CancelBag()
///   func connect() { bag.insert { [socket] in socket.close() } }
/// }
/// ```
///
/// Cancels all when it is released, as the last property of its owner that holds it. So nothing in it may keep the owner
/// alive: a task that refers to its owner strongly while it waits is not cancelled by this, since the owner does
/// not go. Threads may use it at once. No cancellation runs under a lock; each runs once.
public final class CancelBag: Sendable {
  /// What is in the bag, by which it can be taken out.
  public struct Entry: Hashable, Sendable {
    fileprivate let number: Int
  }

  private struct State {
    var cancellations: [Int: @Sendable () -> Void] = [:]
    var inserted = 0
  }

  private let state = MutexLock(State())

  public init() {}

  deinit { cancel() }

  /// How much is in it.
  public var count: Int { state.read { $0.cancellations.count } }

  /// Has `cancel` called when the bag is cancelled or released; not at once, though it was cancelled before.
  @discardableResult
  public func insert(_ cancel: @escaping @Sendable () -> Void) -> Entry {
    state.write { state in
      state.inserted += 1
      state.cancellations[state.inserted] = cancel
      return Entry(number: state.inserted)
    }
  }

  /// Has `task` cancelled when the bag is cancelled or released. It stays in the bag when it has ended; `addTask`
  /// makes one that does not.
  @discardableResult
  public func insert<Success, Failure>(_ task: Task<Success, Failure>) -> Entry {
    insert { task.cancel() }
  }

  /// Runs `operation` in a task that is cancelled with the bag, and leaves it when it has ended.
  public func addTask(
    priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async -> Void
  ) {
    let entry = insert {}
    let task = Task(priority: priority) { [weak self] in
      await operation()
      self?.remove(entry)
    }
    // It may have ended, or the bag been cancelled meanwhile: then it is no longer there.
    let isThere = state.write { state in
      state.cancellations[entry.number] != nil
        && state.cancellations.updateValue({ task.cancel() }, forKey: entry.number) != nil
    }
    if !isThere { task.cancel() }
  }

  /// Takes something out, which is then not cancelled; does nothing if it is not in the bag.
  public func remove(_ entry: Entry) {
    // The result, so that what it captured is released outside the lock.
    _ = state.write { $0.cancellations.removeValue(forKey: entry.number) }
  }

  /// Cancels what is in the bag, in the order of insertion, and empties it.
  ///
  /// - Complexity: O(*n* log *n*).
  public func cancel() {
    let cancellations = state.write { state in
      defer { state.cancellations = [:] }
      return state.cancellations
    }
    for (_, cancel) in cancellations.sorted(by: { $0.key < $1.key }) { cancel() }
  }
}

extension Task {
  /// Has this task cancelled when `bag` is.
  public func store(in bag: CancelBag) { bag.insert(self) }
}
