/// Memory that nothing reachable refers to, allocated from one stack.
package struct LeakedStack: Hashable, Sendable {
  package var objects: Int
  package var bytes: Int
  /// The innermost first.
  package var frames: [StackFrame]

  package init(objects: Int, bytes: Int, frames: [StackFrame]) {
    self.objects = objects
    self.bytes = bytes
    self.frames = frames
  }

  /// Whether these are side tables, 32 bytes each, which the runtime allocates for an object that is
  /// referred to weakly. Only a packed pointer in the object leads there, so that LeakSanitizer calls
  /// those of living objects leaked too: they say nothing of a leak.
  package var isSideTables: Bool {
    let (size, overflow) = objects.multipliedReportingOverflow(by: 32)
    guard objects > 0, !overflow, bytes == size, let function = allocator?.function else {
      return false
    }
    return function.contains("swift::RefCounts<")
      && ["formWeakReference", "allocateSideTable"].contains { function.contains($0) }
  }

  /// The class whose initializer allocated, or `nil`: what an initializer's callees allocate, such as a
  /// buffer, is no instance of the class.
  package var typeName: String? {
    guard let function = allocator?.function,
      let range = function.firstRange(of: ".__allocating_init(")
    else { return nil }
    return String(function[..<range.lowerBound])
  }

  /// The innermost frame that is not at the top of every stack.
  private var allocator: StackFrame? { frames.first { !Self.allocators.contains($0.function) } }

  private static let allocators: Set = [
    "malloc", "calloc", "realloc", "posix_memalign", "swift_slowAlloc", "swift_allocObject",
  ]

  /// The class or, if it is none, where it was allocated.
  func title(in source: SourceRoot) -> String {
    if let typeName { return typeName }
    guard let frame = frames.first(where: source.isOwn) ?? allocator else {
      return "memory of an unknown stack"
    }
    return "memory allocated in \(frame.function)"
  }

  static func + (one: LeakedStack, other: LeakedStack) -> LeakedStack {
    LeakedStack(
      objects: one.objects.addingWithoutOverflow(other.objects),
      bytes: one.bytes.addingWithoutOverflow(other.bytes), frames: one.frames)
  }
}

extension Int {
  /// The largest number stands for all beyond it: what was read may be damaged.
  func addingWithoutOverflow(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
