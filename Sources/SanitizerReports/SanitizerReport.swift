/// The leaks and memory errors of one run, from the output of AddressSanitizer and LeakSanitizer in
/// all its processes.
package struct SanitizerReport: Hashable, Sendable {
  /// The leaks, one for each stack, without side tables; the leak with the most bytes is first.
  package private(set) var leaks: [LeakedStack] = []
  /// The side tables of weak references.
  package private(set) var sideTables = LeakedStack(objects: 0, bytes: 0, frames: [])
  /// The memory errors, in the order of the output.
  package private(set) var memoryErrors: [MemoryError] = []
  /// The identifiers of the processes that LeakSanitizer checked.
  package private(set) var checked: Set<Int> = []
  /// The reasons why a check or its output is incomplete.
  package private(set) var obstacles: [String] = []
  /// The number of leaks that each suppression matched.
  package private(set) var suppressed: [String: Int] = [:]

  package init() {}

  /// Adds the output of one process. Ignores unknown lines, so that the intact parts of a damaged
  /// text still count.
  package mutating func add(_ text: String) {
    var reader = SanitizerReportReader()
    for line in text.split(whereSeparator: \.isNewline) { reader.read(line) }
    reader.finish()
    checked.formUnion(reader.checked)
    obstacles += reader.obstacles
    memoryErrors += reader.memoryErrors
    suppressed.merge(reader.suppressed) { $0.addingWithoutOverflow($1) }
    for stack in reader.leaks where stack.isSideTables { sideTables = sideTables + stack }
    leaks = Self.merged(leaks + reader.leaks.lazy.filter { !$0.isSideTables })
  }

  /// Returns a copy of the report in which functions have other names, such as demangled ones.
  ///
  /// - Parameter names: The new name of each function; a function without one keeps its name.
  package func renamed(_ names: [String: String]) -> SanitizerReport {
    func renamed(_ frames: [StackFrame]) -> [StackFrame] {
      frames.map { frame in
        var frame = frame
        frame.function = names[frame.function] ?? frame.function
        return frame
      }
    }
    var report = self
    report.leaks = Self.merged(
      leaks.map { LeakedStack(objects: $0.objects, bytes: $0.bytes, frames: renamed($0.frames)) })
    for index in memoryErrors.indices {
      report.memoryErrors[index].frames = renamed(memoryErrors[index].frames)
    }
    return report
  }

  /// The names of the functions in all stacks.
  package var functions: Set<String> {
    let frames = leaks.lazy.map(\.frames) + memoryErrors.lazy.map(\.frames)
    return Set(frames.joined().map(\.function))
  }

  /// Merges the leaks with equal stacks, and sorts them by size. Leaks of equal size are in the
  /// order of their frames, so that the reports of two runs can be compared.
  private static func merged(_ stacks: [LeakedStack]) -> [LeakedStack] {
    let merged = Dictionary(stacks.map { ($0.frames, $0) }, uniquingKeysWith: +)
    return merged.values.sorted { one, other in
      if one.bytes != other.bytes { return one.bytes > other.bytes }
      return one.frames.map(\.order).lexicographicallyPrecedes(other.frames.map(\.order))
    }
  }
}

/// An error for which AddressSanitizer stopped a program, such as a use after free.
package struct MemoryError: Hashable, Sendable {
  /// `heap-use-after-free`, or `SEGV`.
  package var kind: String
  /// The stack of the error, the innermost frame first.
  package var frames: [StackFrame] = []
}

/// Unreachable memory that was allocated from one stack.
package struct LeakedStack: Hashable, Sendable {
  package var objects: Int
  package var bytes: Int
  /// The innermost frame first.
  package var frames: [StackFrame]

  package init(objects: Int, bytes: Int, frames: [StackFrame]) {
    self.objects = objects
    self.bytes = bytes
    self.frames = frames
  }

  /// Whether these are side tables of 32 bytes each, which the runtime allocates for objects with
  /// weak references. An object stores the address of its side table in a packed form, which
  /// LeakSanitizer does not recognize. So it also reports the side tables of reachable objects,
  /// which are no leaks.
  package var isSideTables: Bool {
    let (size, overflow) = objects.multipliedReportingOverflow(by: 32)
    guard objects > 0, !overflow, bytes == size, let function = allocator?.function else {
      return false
    }
    return function.contains("swift::RefCounts<")
      && ["formWeakReference", "allocateSideTable"].contains { function.contains($0) }
  }

  /// The class of a leaked instance: the class whose allocating initializer itself allocated the
  /// memory; nil for other memory, such as a buffer that the initializer's callees allocated.
  package var typeName: String? {
    guard let function = allocator?.function,
      let range = function.firstRange(of: ".__allocating_init(")
    else { return nil }
    return String(function[..<range.lowerBound])
  }

  /// The innermost frame that is not an allocation function.
  private var allocator: StackFrame? { frames.first { !Self.allocators.contains($0.function) } }

  private static let allocators: Set = [
    "malloc", "calloc", "realloc", "posix_memalign", "swift_slowAlloc", "swift_allocObject",
  ]

  /// Returns the class of an instance or, for other memory, the function that allocated it.
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
  /// Returns the sum, or the largest number on overflow: numbers in a damaged text may be too
  /// large.
  func addingWithoutOverflow(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}

/// One line of a stack: a function, with its place if the sanitizer knows it.
package struct StackFrame: Hashable, Sendable {
  package var function: String
  /// The path of the source as it was passed to the compiler.
  package var file: String?
  package var line: Int?
  package var column: Int?
  /// The path of the library or program if the source is unknown.
  package var image: String?

  package init(
    function: String, file: String? = nil, line: Int? = nil, column: Int? = nil,
    image: String? = nil
  ) {
    self.function = function
    self.file = file
    self.line = line
    self.column = column
    self.image = image
  }

  fileprivate var order: String { "\(function) \(file ?? "") \(line ?? 0) \(column ?? 0)" }
}
