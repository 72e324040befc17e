/// What AddressSanitizer and LeakSanitizer wrote of one run, of all of its processes.
package struct SanitizerReport: Hashable, Sendable {
  /// One for each stack, the most bytes first; without side tables.
  package private(set) var leaks: [LeakedStack] = []
  /// Of side tables of weak references.
  package private(set) var sideTables = LeakedStack(objects: 0, bytes: 0, frames: [])
  package private(set) var memoryErrors: [MemoryError] = []
  /// The identifiers of the processes that were looked through.
  package private(set) var checked: Set<Int> = []
  /// Why a process could not be looked through, or what it wrote not read.
  package private(set) var obstacles: [String] = []
  /// How often each suppression was used.
  package private(set) var suppressed: [String: Int] = [:]

  package init() {}

  /// Adds what one process wrote. Lines that are not known are passed over, so that a damaged text
  /// yields what is left of it.
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

  /// With other names for functions, such as demangled ones; those that are not among them stay.
  package func renamed(_ names: [String: String]) -> SanitizerReport {
    var renamed = self
    renamed.leaks = Self.merged(
      leaks.map { leak in
        LeakedStack(
          objects: leak.objects, bytes: leak.bytes, frames: leak.frames.map { $0.renamed(names) })
      })
    for index in memoryErrors.indices {
      renamed.memoryErrors[index].frames = memoryErrors[index].frames.map { $0.renamed(names) }
    }
    return renamed
  }

  /// The functions of all stacks.
  package var functions: Set<String> {
    let frames = leaks.lazy.map(\.frames) + memoryErrors.lazy.map(\.frames)
    return Set(frames.joined().map(\.function))
  }

  /// One for each stack. Those of equal size in the order of their frames, so that runs compare.
  private static func merged(_ stacks: [LeakedStack]) -> [LeakedStack] {
    let merged = Dictionary(stacks.map { ($0.frames, $0) }, uniquingKeysWith: +)
    return merged.values.sorted { one, other in
      if one.bytes != other.bytes { return one.bytes > other.bytes }
      return one.frames.map(\.order).lexicographicallyPrecedes(other.frames.map(\.order))
    }
  }
}

extension StackFrame {
  fileprivate func renamed(_ names: [String: String]) -> StackFrame {
    var renamed = self
    renamed.function = names[function] ?? function
    return renamed
  }

  fileprivate var order: String { "\(function) \(file ?? "") \(line ?? 0) \(column ?? 0)" }
}
