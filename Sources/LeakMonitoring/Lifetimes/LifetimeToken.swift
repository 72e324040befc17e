/// Counts the instances of a class from birth to death, by being stored in them.
///
/// ```swift
/// final class Player {
///   private let lifetime = LifetimeToken(of: Player.self, max: 2)
/// }
/// ```
///
/// No initialiser is edited and no object referred to: the token is made with its object's stored
/// properties and dies with them, on the same threads. It serves final and generic classes, actors and
/// classes of global actors alike.
///
/// - A base class whose subclasses shall be told apart makes it in its initialiser, where the class is
///   known: `lifetime = LifetimeToken(of: Self.self)`.
/// - A `Codable` class lists the keys of its other properties in an explicit `CodingKeys`, without it.
/// - What is counted here is counted apart from what is validated: with a maximum in both, too many are
///   reported twice.
///
/// A token belongs to the monitor that was the current one where it was made. The first token of a class
/// decides there what the class's maximum and group are, the first of a group the group's. Nothing is
/// counted while monitors are off.
public struct LifetimeToken: ~Copyable, Sendable {
  /// Nil if monitors were off.
  private let birth: LifetimeBirth?

  /// Notes that an instance of `type` is born. Reports at once, or after a grace period where the
  /// monitor's `policy` says so, if more live than `configuration` allows.
  ///
  /// - Complexity: O(1) while not too many live. The row `a token` of `scripts/limits` measures it.
  public init<Object: AnyObject>(
    of type: Object.Type, _ configuration: @autoclosure () -> LifetimeConfiguration,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    guard MemoryLeakMonitor.isEnabled else {
      birth = nil
      return
    }
    birth = MemoryLeakMonitor.current.noteBirth(
      of: type, configuration,
      at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// The same for a class of no group.
  public init<Object: AnyObject>(
    of type: Object.Type, max: Int? = 1, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      of: type, LifetimeConfiguration(max: max), fileID: fileID, filePath: filePath, line: line,
      column: column)
  }

  deinit { birth?.noteDeath() }
}
