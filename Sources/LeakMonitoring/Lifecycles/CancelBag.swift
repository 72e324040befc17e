import Primitives
import WeakCollections

/// A collection of cancellations that runs them when its owner is deallocated.
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
/// Use it for observations, timers and tasks. When the owner is deallocated, Swift releases the bag
/// with the other stored properties, and the bag cancels its entries. So no entry may keep the
/// owner alive: a task that holds the owner strongly while it waits is never cancelled, because the
/// owner is never deallocated. Threads may use a bag concurrently. Each cancellation runs once,
/// outside every lock.
public final class CancelBag: Sendable {
  /// The identity of an entry, which `remove(_:)` takes.
  public struct Entry: Hashable, Sendable {
    fileprivate let bag: Int
    fileprivate let number: Int
  }

  private struct State {
    var cancellations: [Int: @Sendable () -> Void] = [:]
    var inserted = 0
  }

  private static let bags = Atomic(0)

  // Identifies the bag; its address would not, because a later bag may reuse it. Relaxed: the
  // numbers only have to differ.
  private let number = bags.wrappingAdd(1, ordering: .relaxed).newValue
  private let state = MutexLock(State())

  /// Creates an empty bag.
  public init() {}

  deinit { cancel() }

  /// The number of entries.
  public var count: Int { state.read { $0.cancellations.count } }

  /// Inserts a closure that runs when the bag is cancelled or released.
  ///
  /// It does not run immediately, even if the bag was cancelled before.
  ///
  /// - Parameter cancel: The closure, which must not hold the bag's owner strongly.
  /// - Returns: The entry, for `remove(_:)`.
  @discardableResult
  public func insert(_ cancel: @escaping @Sendable () -> Void) -> Entry {
    state.write { state in
      state.inserted += 1
      state.cancellations[state.inserted] = cancel
      return Entry(bag: number, number: state.inserted)
    }
  }

  /// Inserts a source and a closure that ends it when the bag is cancelled or released.
  ///
  /// The source need not be `Sendable`, because the caller sends it to the bag and cannot use it
  /// afterwards. If the source stays in use, such as a timer that fires, insert a closure that ends
  /// it instead.
  ///
  /// - Parameters:
  ///   - source: The source that the bag holds.
  ///   - cancel: Ends the source, on the thread that cancels or releases the bag.
  /// - Returns: The entry, for `remove(_:)`.
  @discardableResult
  public func insert<Source>(
    _ source: sending Source, cancel: @escaping @Sendable (Source) -> Void
  ) -> Entry {
    let sent = SentSource(value: source)
    return insert { cancel(sent.value) }
  }

  /// Inserts a source that the bag invalidates when it is cancelled or released.
  ///
  /// - Parameter source: The source. `invalidate()` runs on the thread that cancels or releases the
  ///   bag.
  /// - Returns: The entry, for `remove(_:)`.
  @discardableResult
  public func insert<Source: Invalidatable & SendableMetatype>(_ source: sending Source) -> Entry {
    insert(source) { $0.invalidate() }
  }

  /// Inserts a task that the bag cancels when it is cancelled or released.
  ///
  /// The entry stays in the bag after the task has ended; `addTask` removes the entry of its task.
  ///
  /// - Returns: The entry, for `remove(_:)`.
  @discardableResult
  public func insert<Success, Failure>(_ task: Task<Success, Failure>) -> Entry {
    insert { task.cancel() }
  }

  /// Runs an operation in a new task that the bag cancels when it is cancelled or released.
  ///
  /// The bag removes the entry of the task when the task ends.
  ///
  /// - Parameters:
  ///   - priority: The priority of the task; nil for that of the current task.
  ///   - operation: The operation, which must not hold the bag's owner strongly while it waits.
  public func addTask(
    priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async -> Void
  ) {
    let entry = insert {}
    let task = Task(priority: priority) { [weak self] in
      await operation()
      self?.remove(entry)
    }
    // The entry is missing if the task has already ended or the bag was cancelled meanwhile.
    let isThere = state.write { state in
      state.cancellations[entry.number] != nil
        && state.cancellations.updateValue({ task.cancel() }, forKey: entry.number) != nil
    }
    if !isThere { task.cancel() }
  }

  /// Removes an entry without cancelling it; does nothing if it is no longer in the bag.
  ///
  /// - Precondition: The entry belongs to this bag. The entry of another bag would remain in that
  ///   bag.
  public func remove(_ entry: Entry) {
    guard entry.bag == number else {
      fatalError(
        "the entry belongs to another cancel bag; call remove(_:) of the bag that returned it")
    }
    // The closure returns the removed cancellation, so that its captures are released outside the
    // lock.
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

// @unchecked: the caller sent the source to the bag, so only the thread that takes it from the bag
// uses it.
private struct SentSource<Value>: @unchecked Sendable {
  let value: Value
}

extension Task {
  /// Inserts this task into `bag`, which cancels it when the bag is cancelled or released.
  public func store(in bag: CancelBag) { bag.insert(self) }
}
