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

/// What AddressSanitizer ended a program for, such as a use after free.
package struct MemoryError: Hashable, Sendable {
  /// `heap-use-after-free`, or `SEGV`.
  package var kind: String
  /// Where it happened, the innermost first.
  package var frames: [StackFrame] = []
}

/// One line of a stack: a function, and where it is if the sanitizer could tell.
package struct StackFrame: Hashable, Sendable {
  package var function: String
  /// Of the source, as the compiler was given it.
  package var file: String?
  package var line: Int?
  package var column: Int?
  /// The file of the library or program, where no source is known.
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
}

extension StackFrame {
  /// From `    #3 0x5579e3784058 in function /path/File.swift:13:19` or `… in function
  /// (/path/library.so+0x46fa6e) (BuildId: …)`; `nil` if the line is no frame.
  init?(sanitizerLine: Substring) {
    let line = sanitizerLine.drop { $0 == " " }
    guard line.first == "#" else { return nil }
    let words = line.dropFirst().split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[0].allSatisfy(\.isNumber), words[1].hasPrefix("0x") else {
      return nil
    }
    let rest = words[2].hasPrefix("in ") ? words[2].dropFirst(3) : words[2]
    if let start = rest.firstIndex(of: " (/") ?? (rest.hasPrefix("(/") ? rest.startIndex : nil) {
      let name = rest[..<start]
      self.init(
        function: name.isEmpty ? "an unnamed function" : String(name),
        image: Self.image(rest[start...]))
    } else {
      // A path may hold spaces; a name in front of a path that is not absolute ends at the last one.
      let end = rest.firstIndex(of: " /") ?? rest.lastIndex(of: " ") ?? rest.endIndex
      self.init(function: String(rest[..<end]))
      setPlace(rest[end...].dropFirst())
    }
  }

  /// What is between the parenthesis and the offset.
  private static func image(_ text: Substring) -> String {
    let path = text.drop { $0 == " " || $0 == "(" }
    return String(path[..<(path.firstIndex(of: "+0x") ?? path.endIndex)])
  }

  /// From `path`, `path:line` or `path:line:column`.
  private mutating func setPlace(_ text: Substring) {
    var path = text
    var numbers: [Int] = []
    while numbers.count < 2, let colon = path.lastIndex(of: ":"),
      let number = Int(path[path.index(after: colon)...]), number > 0
    {
      numbers.insert(number, at: 0)
      path = path[..<colon]
    }
    file = path.isEmpty ? nil : String(path)
    line = numbers.first
    column = numbers.count == 2 ? numbers[1] : nil
  }
}

extension Substring {
  /// Where the first of these texts begins.
  fileprivate func firstIndex(of text: String) -> Index? { firstRange(of: text)?.lowerBound }
}
