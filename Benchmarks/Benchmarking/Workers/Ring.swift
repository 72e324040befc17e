/// A queue that allocates once: what a worker has put into the collection, oldest first.
struct Ring<Element> {
  private var elements: [Element?]
  private var first = 0
  private(set) var count = 0

  /// Room for at least `capacity` elements.
  init(capacity: Int) {
    var size = 1
    while size < capacity { size *= 2 }
    elements = Array(repeating: nil, count: size)
  }

  mutating func append(_ element: Element) {
    precondition(count < elements.count, "a worker holds no more than it was given room for")
    elements[(first + count) & (elements.count - 1)] = element
    count += 1
  }

  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    defer {
      first = (first + 1) & (elements.count - 1)
      count -= 1
    }
    return elements[first].take()
  }

  mutating func removeAll() {
    while popFirst() != nil {}
  }

  var all: [Element] {
    (0..<count).map { elements[(first + $0) & (elements.count - 1)]! }
  }
}

extension Ring: Sendable where Element: Sendable {}
