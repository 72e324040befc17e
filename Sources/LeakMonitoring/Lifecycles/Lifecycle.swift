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
