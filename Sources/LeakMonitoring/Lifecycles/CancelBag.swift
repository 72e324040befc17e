import Primitives
import WeakCollections

/// Cancels observations, timers and tasks when its owner is deallocated.
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
/// The bag cancels its entries when it is released with the stored properties of its owner. So
/// nothing in it may keep the owner alive: a task that holds its owner strongly while it waits is
/// never cancelled, because the owner is never deallocated. Threads may use a bag concurrently.
/// Each cancellation runs once, outside every lock.
public final class CancelBag: Sendable {
  /// Identifies an entry of a bag, to remove it.
  public struct Entry: Hashable, Sendable {
    fileprivate let bag: Int
    fileprivate let number: Int
  }

  private struct State {
    var cancellations: [Int: @Sendable () -> Void] = [:]
    var inserted = 0
  }

  private static let bags = Atomic(0)

  // Not the address, which a later bag may reuse. Relaxed: the numbers only have to differ.
  private let number = bags.wrappingAdd(1, ordering: .relaxed).newValue
  private let state = MutexLock(State())

  public init() {}

  deinit { cancel() }

  /// The number of entries.
  public var count: Int { state.read { $0.cancellations.count } }

  /// Inserts `cancel`, which runs when the bag is cancelled or released. It does not run
  /// immediately, even if the bag was cancelled before.
  @discardableResult
  public func insert(_ cancel: @escaping @Sendable () -> Void) -> Entry {
    state.write { state in
      state.inserted += 1
      state.cancellations[state.inserted] = cancel
      return Entry(bag: number, number: state.inserted)
    }
  }

  /// Inserts `cancel`, which runs with `source` when the bag is cancelled or released, on that
  /// thread.
  ///
  /// For a source that is not `Sendable`: it is sent to the bag, and the caller must not use it any
  /// more. If the source stays in use, such as a timer that fires, insert a closure that ends it.
  @discardableResult
  public func insert<Source>(
    _ source: sending Source, cancel: @escaping @Sendable (Source) -> Void
  ) -> Entry {
    let sent = SentSource(value: source)
    return insert { cancel(sent.value) }
  }

  /// Inserts `source`, to invalidate it when the bag is cancelled or released, on that thread.
  @discardableResult
  public func insert<Source: Invalidatable & SendableMetatype>(_ source: sending Source) -> Entry {
    insert(source) { $0.invalidate() }
  }

  /// Inserts `task`, to cancel it when the bag is cancelled or released. The entry stays when the
  /// task has ended; `addTask` creates a task whose entry does not.
  @discardableResult
  public func insert<Success, Failure>(_ task: Task<Success, Failure>) -> Entry {
    insert { task.cancel() }
  }

  /// Runs `operation` in a task that is cancelled with the bag, and leaves the bag when it ends.
  public func addTask(
    priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async -> Void
  ) {
    let entry = insert {}
    let task = Task(priority: priority) { [weak self] in
      await operation()
      self?.remove(entry)
    }
    // The task may have ended, or the bag been cancelled, meanwhile: then the entry is gone.
    let isThere = state.write { state in
      state.cancellations[entry.number] != nil
        && state.cancellations.updateValue({ task.cancel() }, forKey: entry.number) != nil
    }
    if !isThere { task.cancel() }
  }

  /// Removes an entry without cancelling it; does nothing if it is no longer in the bag.
  ///
  /// Traps for an entry of another bag, which would stay there.
  public func remove(_ entry: Entry) {
    precondition(entry.bag == number, "expected an entry of this bag, found one of another")
    // The closure returns the entry, so that its captures are released outside the lock.
    _ = state.write { $0.cancellations.removeValue(forKey: entry.number) }
  }

  /// Cancels the entries in the order of insertion, and empties the bag.
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

// @unchecked: the source was sent to the bag, so only the thread that removes it from the bag uses
// it.
private struct SentSource<Value>: @unchecked Sendable {
  let value: Value
}

extension Task {
  /// Inserts this task into `bag`, to cancel it with the bag.
  public func store(in bag: CancelBag) { bag.insert(self) }
}
