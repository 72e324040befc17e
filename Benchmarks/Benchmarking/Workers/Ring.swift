/// A queue that allocates once: what a worker has put into the collection, oldest first.
///
/// A class, so that handing a worker to its task copies nothing while bytes are counted.
final class Ring<Element> {
  private var elements: [Element?]
  private var first = 0
  private(set) var count = 0

  /// Room for at least `capacity` elements.
  init(capacity: Int) {
    var size = 1
    while size < capacity { size *= 2 }
    elements = Array(repeating: nil, count: size)
  }

  func append(_ element: Element) {
    precondition(count < elements.count, "a worker holds no more than it was given room for")
    elements[(first + count) & (elements.count - 1)] = element
    count += 1
  }

  func popFirst() -> Element? {
    guard count > 0 else { return nil }
    defer {
      first = (first + 1) & (elements.count - 1)
      count -= 1
    }
    return elements[first].take()
  }

  func removeAll() {
    while popFirst() != nil {}
  }

  var all: [Element] {
    (0..<count).map { elements[(first + $0) & (elements.count - 1)]! }
  }
}

// @unchecked: one worker uses it at a time, and workers are handed over by tasks.
extension Ring: @unchecked Sendable where Element: Sendable {}
