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
/// The code that presents the object calls `appear` and `disappear`, always from one thread or
/// actor. A class of a global actor declares an isolated conformance, `final class Screen:
/// @MainActor Lifecycle`.
public protocol Lifecycle: AnyObject {
  /// The type of the keys of `tasks`.
  associatedtype TaskKey: Hashable & Sendable

  /// The tasks that `disappear` cancels.
  var tasks: TaskStore<TaskKey> { get }

  /// Whether the object is about to disappear for the last time, after which it should be
  /// deallocated.
  var isClosing: Bool { get }

  /// Runs each time the object has appeared; does nothing by default.
  func didAppear()

  /// Runs each time the object has disappeared, before `disappear` cancels its tasks; does nothing
  /// by default.
  func didDisappear()
}

extension Lifecycle {
  /// Does nothing.
  public func didAppear() {}

  /// Does nothing.
  public func didDisappear() {}

  /// Calls `didAppear()`.
  public func appear() { didAppear() }

  /// Calls `didDisappear()`, cancels the tasks and, if the object is closing, expects its
  /// deallocation.
  ///
  /// The current monitor reports a closing object that is still alive after `delay`: a task that
  /// ignores cancellation may keep it alive.
  ///
  /// - Parameters:
  ///   - delay: The grace period of a closing object.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: The expectation, which can be cancelled; nil if the object is not closing.
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

/// The running tasks of an object, one for each key; a new task of a key cancels the old one.
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
/// task without cancelling it. A store cancels all tasks when it is deallocated. As with
/// `CancelBag`, a task that holds the store's owner strongly prevents that deallocation. Threads
/// may use a store concurrently.
public final class TaskStore<Key: Hashable & Sendable>: Sendable {
  private let cancellations = MutexLock<[Key: @Sendable () -> Void]>([:])

  /// Creates an empty store.
  public init() {}

  deinit { cancelAll() }

  /// The number of keys with a task.
  ///
  /// A task that has ended still counts until it is replaced or cancelled.
  public var count: Int { cancellations.read { $0.count } }

  /// Stores a task for a key, and cancels the task that it replaces.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - task: The new task.
  /// - Returns: `task`.
  @discardableResult
  public func replace<Success, Failure>(
    _ key: Key, with task: Task<Success, Failure>
  ) -> Task<Success, Failure> {
    cancellations.write { $0.updateValue({ task.cancel() }, forKey: key) }?()
    return task
  }

  /// Cancels and removes the task of a key; does nothing if the key has none.
  public func cancel(_ key: Key) {
    cancellations.write { $0.removeValue(forKey: key) }?()
  }

  /// Cancels and removes all tasks.
  public func cancelAll() {
    let all = cancellations.write { cancellations in
      defer { cancellations = [:] }
      return cancellations
    }
    for cancel in all.values { cancel() }
  }
}
