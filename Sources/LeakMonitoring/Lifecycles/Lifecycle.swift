import WeakCollections

/// Something that appears and disappears, perhaps several times, and dies after it has closed: a screen, a
/// session, a connection.
///
/// ```swift
/// final class Screen: Lifecycle {
///   let tasks = TaskStore<String>()
///   var isClosing = false
///   func didAppear() { tasks.replace("load", with: Task { … }) }
/// }
/// ```
///
/// Whoever shows it calls `appear` and `disappear`, from one thread or actor. A class of an actor conforms in its
/// isolation: `final class Screen: @MainActor Lifecycle`.
public protocol Lifecycle: AnyObject {
  associatedtype TaskKey: Hashable & Sendable

  /// The tasks that are to end when it disappears.
  var tasks: TaskStore<TaskKey> { get }

  /// Whether it disappears for good, and is to die.
  var isClosing: Bool { get }

  /// Called when it has appeared, the first time or again; does nothing by default.
  func didAppear()

  /// Called when it has disappeared, before its tasks are cancelled; does nothing by default.
  func didDisappear()
}

extension Lifecycle {
  public func didAppear() {}
  public func didDisappear() {}

  /// Tells it that it has appeared.
  public func appear() { didAppear() }

  /// Tells it that it has disappeared, cancels its tasks and, if it is closing, reports it if it still lives
  /// `delay` later: a task that heeds no cancellation may keep it alive.
  ///
  /// - Returns: the expectation; nil if it is not closing.
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

/// The running tasks of an object, one for each key: one that is put in the place of another cancels that.
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
/// In a property `var loadTask: Task<Void, Never>?` a second appearance would drop the first task without
/// cancelling it, and nobody could any more. Cancels all when it is released, as `CancelBag`, for which the same
/// holds: a task that refers to the store's owner strongly keeps it from that. Threads may use it at once.
public final class TaskStore<Key: Hashable & Sendable>: Sendable {
  private let cancellations = MutexLock<[Key: @Sendable () -> Void]>([:])

  public init() {}

  deinit { cancelAll() }

  /// How many keys have a task, which may have ended.
  public var count: Int { cancellations.read { $0.count } }

  /// Makes `task` the one of `key`, and cancels the one that was.
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
