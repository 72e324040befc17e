/// A queue whose ends cost the same however many stand in it.
struct Ring<Element> {
  private var slots: [Element?] = []
  private var first = 0
  private(set) var count = 0

  /// Amortised O(1).
  mutating func append(_ element: Element) {
    if count == slots.count { grow() }
    slots[(first + count) % slots.count] = element
    count += 1
  }

  /// The one that was appended first; nil if there is none.
  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    defer {
      first = (first + 1) % slots.count
      count -= 1
    }
    return slots[first].take()
  }

  private mutating func grow() {
    let inOrder = slots[first...] + slots[..<first]
    slots = inOrder + Array(repeating: nil, count: max(8, count))
    first = 0
  }
}

extension Ring: Sendable where Element: Sendable {}
