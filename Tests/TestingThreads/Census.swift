import Primitives

/// Counts objects that begin and end.
public final class Census: Sendable {
  private let createdCount = Atomic<Int>(0)
  private let deinitializedCount = Atomic<Int>(0)

  public init() {}

  // Relaxed, all: counts, through which nothing else is read; exact once the threads are joined.
  public var created: Int { createdCount.load(ordering: .relaxed) }
  public var deinitialized: Int { deinitializedCount.load(ordering: .relaxed) }
  public var live: Int { created - deinitialized }

  func noteCreation() { createdCount.wrappingAdd(1, ordering: .relaxed) }
  func noteEnd() { deinitializedCount.wrappingAdd(1, ordering: .relaxed) }
}

/// An object that a census counts.
public final class Counted: Sendable {
  public let number: Int
  private let census: Census

  public init(_ number: Int = 0, in census: Census) {
    self.number = number
    self.census = census
    census.noteCreation()
  }

  deinit { census.noteEnd() }
}

/// An object that does something as it dies.
public final class Dying: Sendable {
  private let lastWords: @Sendable () -> Void

  public init(_ lastWords: @escaping @Sendable () -> Void) {
    self.lastWords = lastWords
  }

  deinit { lastWords() }
}
