import Primitives

/// The ends of dictionaries whose values own further dictionaries, on one thread.
///
/// A chain of objects, each of which holds the next one in a dictionary, would otherwise take
/// several stack frames for each link, and a chain of some thousand would exhaust the stack. From
/// the 32nd nested end on, the contents wait in a list of the outermost one.
struct Teardown {
  private var depth = 1
  private var waiting: [() -> Void] = []

  private static var deepest: Int { 32 }

  /// Calls `destroy(content)`, now or at the end of the outermost call of this thread.
  static func perform<Content>(
    _ content: Content, _ destroy: @escaping (Content) -> Void
  ) {
    if let outermost = ThreadSlot.teardowns.value {
      let teardown = outermost.assumingMemoryBound(to: Teardown.self)
      guard teardown.pointee.depth < deepest else {
        return teardown.pointee.waiting.append { destroy(content) }
      }
      teardown.pointee.depth += 1
      destroy(content)
      teardown.pointee.depth -= 1
    } else {
      let teardown = UnsafeMutablePointer<Teardown>.allocate(capacity: 1)
      teardown.initialize(to: Teardown())
      ThreadSlot.teardowns.value = UnsafeMutableRawPointer(teardown)
      destroy(content)
      while let next = teardown.pointee.waiting.popLast() { next() }
      ThreadSlot.teardowns.value = nil
      teardown.deinitialize(count: 1)
      teardown.deallocate()
    }
  }

  /// Releases `values`, to which the caller has no other reference, in the same way.
  static func release<Values>(_ values: consuming Values) {
    perform(Unmanaged.passRetained(Box(values: values))) { $0.release() }
  }

  private final class Box<Values> {
    private let values: Values

    init(values: consuming Values) { self.values = values }
  }
}
