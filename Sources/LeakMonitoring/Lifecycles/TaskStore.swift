import WeakCollections

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
