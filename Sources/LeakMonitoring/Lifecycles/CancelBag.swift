import Primitives
import WeakCollections

/// What is to be cancelled when its owner goes: observations, timers, tasks.
///
/// ```swift
/// final class Screen {
///   private let bag = CancelBag()
///   …
///   func connect() { bag.insert { [socket] in socket.close() } }
///   func observe() { bag.insert(Observation(of: model)) { $0.end() } }
/// }
/// ```
///
/// Cancels all when it is released, as the last property of its owner that holds it. So nothing in it may keep the owner
/// alive: a task that refers to its owner strongly while it waits is not cancelled by this, since the owner does
/// not go. Threads may use it at once. No cancellation runs under a lock; each runs once.
public final class CancelBag: Sendable {
  /// What is in a bag, by which it can be taken out of that.
  public struct Entry: Hashable, Sendable {
    fileprivate let bag: Int
    fileprivate let number: Int
  }

  private struct State {
    var cancellations: [Int: @Sendable () -> Void] = [:]
    var inserted = 0
  }

  private static let bags = Atomic(0)

  // Not its address, which another bag may have after it. Relaxed: no two get the same number, and no more is asked.
  private let number = bags.wrappingAdd(1, ordering: .relaxed).newValue
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
      return Entry(bag: number, number: state.inserted)
    }
  }

  /// Has `cancel` called with `source` when the bag is cancelled or released, on that thread.
  ///
  /// For what is not `Sendable`: it is sent to the bag, and whoever inserts it is not to use it any more. Of what must
  /// be used, such as a timer that fires, insert what ends it.
  @discardableResult
  public func insert<Source>(
    _ source: sending Source, cancel: @escaping @Sendable (Source) -> Void
  ) -> Entry {
    let sent = SentSource(value: source)
    return insert { cancel(sent.value) }
  }

  /// Has `source` invalidated when the bag is cancelled or released, on that thread.
  @discardableResult
  public func insert<Source: Invalidatable & SendableMetatype>(_ source: sending Source) -> Entry {
    insert(source) { $0.invalidate() }
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

  /// Takes something out, which is then not cancelled; does nothing if it is no longer in the bag.
  ///
  /// Traps for an entry of another bag: that would stay in its own.
  public func remove(_ entry: Entry) {
    precondition(entry.bag == number, "expected an entry of this bag, found one of another")
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

// @unchecked: it was sent to the bag, so nobody else has it; the one thread that took it out of the bag uses it.
private struct SentSource<Value>: @unchecked Sendable {
  let value: Value
}

extension Task {
  /// Has this task cancelled when `bag` is.
  public func store(in bag: CancelBag) { bag.insert(self) }
}
