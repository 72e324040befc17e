import WeakCollections

/// An object that appears and disappears, perhaps several times, and is deallocated after it
/// closes: a screen, a session, a connection.
///
/// ```swift
/// final class Screen: Lifecycle {
///   let tasks = TaskStore<String>()
///   var isClosing = false
///   func didAppear() { tasks.replace("load", with: Task { … }) }
/// }
/// ```
///
/// Its presenter calls `appear` and `disappear`, from one thread or actor. A class of a global
/// actor conforms in its isolation: `final class Screen: @MainActor Lifecycle`.
public protocol Lifecycle: AnyObject {
  associatedtype TaskKey: Hashable & Sendable

  /// The tasks to cancel when it disappears.
  var tasks: TaskStore<TaskKey> { get }

  /// Whether it disappears for good and should be deallocated.
  var isClosing: Bool { get }

  /// Runs each time it has appeared; does nothing by default.
  func didAppear()

  /// Runs each time it has disappeared, before its tasks are cancelled; does nothing by default.
  func didDisappear()
}

extension Lifecycle {
  public func didAppear() {}
  public func didDisappear() {}

  /// Calls `didAppear()`.
  public func appear() { didAppear() }

  /// Calls `didDisappear()` and cancels the tasks. If it is closing, reports it if it is still
  /// alive after `delay`: a task that ignores cancellation may keep it alive.
  ///
  /// - Returns: The expectation; nil if it is not closing.
  @discardableResult
  public func disappear(
    expectedGoneAfter delay: Duration = .seconds(2), fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> DeallocationExpectation? {
    didDisappear()
    tasks.cancelAll()
    return MemoryLeakMonitor.checkDeallocation(
      of: self, after: delay, fileID: fileID, filePath: filePath, line: line, column: column
    ) { $0.isClosing }
  }
}

/// The running tasks of an object, one for each key; a new task for a key cancels the old one.
///
/// ```swift
/// func didAppear() {
///   tasks.replace(
///     "load",
///     with: Task { [weak self, api] in
///       let items = await api.items()
///       self?.items = items  // On one line with `await` it would keep the screen while it waits.
///     })
/// }
/// ```
///
/// With a property `var loadTask: Task<Void, Never>?`, a second appearance would drop the first
/// task without cancelling it. A store cancels all tasks when it is released; as with `CancelBag`,
/// a task that holds the store's owner strongly prevents that. Threads may use a store
/// concurrently.
public final class TaskStore<Key: Hashable & Sendable>: Sendable {
  private let cancellations = MutexLock<[Key: @Sendable () -> Void]>([:])

  public init() {}

  deinit { cancelAll() }

  /// The number of keys with a task, which may have ended.
  public var count: Int { cancellations.read { $0.count } }

  /// Stores `task` for `key`, and cancels the task it replaces.
  ///
  /// - Returns: `task`.
  @discardableResult
  public func replace<Success, Failure>(
    _ key: Key, with task: Task<Success, Failure>
  ) -> Task<Success, Failure> {
    cancellations.write { $0.updateValue({ task.cancel() }, forKey: key) }?()
    return task
  }

  /// Cancels the task of `key`, if it has one.
  public func cancel(_ key: Key) {
    cancellations.write { $0.removeValue(forKey: key) }?()
  }

  /// Cancels all tasks.
  public func cancelAll() {
    let all = cancellations.write { cancellations in
      defer { cancellations = [:] }
      return cancellations
    }
    for cancel in all.values { cancel() }
  }
}
