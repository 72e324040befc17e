/// What a re-entrant object does as it dies, until the execution is over.
// @unchecked: written before the threads start and after they have ended.
final class Reentry: @unchecked Sendable {
  private var action: (@Sendable (Int) -> Void)?

  init(_ action: @escaping @Sendable (Int) -> Void) { self.action = action }

  func run(_ object: Int) { action?(object) }

  /// Lets go of the collection; objects that die later do nothing.
  func end() { action = nil }
}
