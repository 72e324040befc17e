import Foundation
import Synchronization

/// Threads that are not the concurrency runtime's, so that they may block.
enum OwnedThreads {
  /// Runs `body` on `count` threads at once; returns when all have.
  static func run(_ count: Int, _ body: @escaping @Sendable (_ index: Int) -> Void) async {
    await withCheckedContinuation { continuation in
      let running = Running(count)
      for index in 0..<count {
        Thread.detachNewThread {
          body(index)
          if running.end() { continuation.resume() }
        }
      }
    }
  }

  private final class Running: Sendable {
    private let count: Atomic<Int>

    init(_ count: Int) {
      self.count = Atomic(count)
    }

    /// Whether this was the last. Acquiring and releasing, so that the last sees what all have done.
    func end() -> Bool {
      count.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0
    }
  }
}
