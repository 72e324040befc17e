/// Elements kept alive in memory of their own, to be handed over one by one.
///
/// Each is moved out and released after its call. An array's elements would be retained once more for it.
struct PromotedElements<Element>: ~Copyable {
  private let first: UnsafeMutablePointer<Element>
  let count: Int
  private var visitedCount = 0

  /// - Parameter initialize: puts elements into the uninitialized memory, from the front, and returns how
  ///   many.
  @inline(__always)
  init(capacity: Int, initializingWith initialize: (UnsafeMutablePointer<Element>) -> Int) {
    first = .allocate(capacity: capacity)
    count = initialize(first)
    precondition(count <= capacity, "no more elements are promoted than there is room for")
  }

  deinit {
    (first + visitedCount).deinitialize(count: count - visitedCount)
    first.deallocate()
  }

  /// Calls `body` with each element, in order; lets go of the others when it throws.
  @inline(__always)
  consuming func visit<F: Error>(_ body: (Element) throws(F) -> Void) throws(F) {
    while visitedCount < count {
      let element = (first + visitedCount).move()
      visitedCount += 1
      try body(element)
    }
  }
}
