import Dispatch
import StressTesting

/// The published `append`: a block that is pending when the caller goes on, and keeps the element alive.
final class PendingAppendWeakArray: WrappedWeakArray, @unchecked Sendable {
  private let queue = DispatchQueue(label: "pending-append")

  override func append(_ element: Tracked) -> Int {
    queue.async { super.append(element) }
    return entryCount + 1
  }
}
