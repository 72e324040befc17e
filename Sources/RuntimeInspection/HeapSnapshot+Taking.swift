import CRuntimeInspection
import LeakReports
import Synchronization

// Exported, because `take` returns a snapshot, which `LeakReports` declares.
@_exported public import struct LeakReports.DominatorTree
@_exported public import struct LeakReports.HeapGrowth
@_exported public import struct LeakReports.HeapSnapshot

extension HeapSnapshot {
  /// Counts the live objects of this process by type.
  ///
  /// A forked copy of this process walks the blocks of the C library's allocator, and exits. This
  /// thread waits for the result. Other threads continue, but may wait in two cases: while the
  /// system copies the process's page tables (`pauseNanoseconds`), and at the first write to each
  /// page after that, while the system copies the page.
  ///
  /// ```swift
  /// let before = try HeapSnapshot.take()
  /// serveRequests()
  /// print(try HeapSnapshot.take().growth(since: before).text())
  /// ```
  ///
  /// The snapshot contains instances of classes and actors, captures of closures, boxes, errors and
  /// tasks. It does not contain objects on a stack or in the frame of a task, objects in static
  /// memory, and objects of an allocator other than glibc's.
  ///
  /// - Parameters:
  ///   - findsPaths: Whether the copy also searches for one path of references to an example of
  ///     each type, if possible through blocks of known types, and for what each type retains
  ///     (`dominators`). It needs more memory and time for that.
  ///   - timeout: The maximum duration.
  /// - Returns: The snapshot, which shows the heap at the moment of the fork. Other threads may
  ///   allocate and release objects before and after that moment.
  /// - Throws: `HeapUnavailable` if ``heapCapability`` is unavailable, or if the copy failed.
  /// - Precondition: `timeout` is positive.
  /// - Complexity: O(*n*) in the number of blocks, in the copy.
  public static func take(
    findsPaths: Bool = false, timeout: Duration = .seconds(10)
  ) throws(HeapUnavailable) -> HeapSnapshot {
    if case .unavailable(let reason) = heapCapability { throw HeapUnavailable(reason: reason) }
    return try named(CountedHeap(findsPaths: findsPaths, timeout: timeout))
  }

  /// Counts the live objects of another process by type, and stops the process for that time.
  ///
  /// The threads of the process do not run for `pauseNanoseconds`. The process needs no
  /// preparation, and continues if this process ends. Depending on its settings, the system allows
  /// this for every process of the same user, only for a child of this process, or not at all; see
  /// `ptrace(2)`. No probe checks first whether the count is exact for that process.
  ///
  /// - Parameters:
  ///   - process: The identifier of the process, which uses Swift and glibc's allocator.
  ///   - findsPaths: Whether to search also for one path of references to an example of each type,
  ///     and for what each type retains (`dominators`). Then the process is stopped for longer,
  ///     because the words of all blocks are read; it continues before the search.
  ///   - timeout: The maximum duration, for which the process may be stopped.
  /// - Throws: `HeapUnavailable` if the process does not exist, cannot be read, or has no Swift
  ///   object in a block of glibc's allocator.
  /// - Precondition: `timeout` is positive.
  public static func take(
    ofProcess process: Int32, findsPaths: Bool = false, timeout: Duration = .seconds(5)
  ) throws(HeapUnavailable) -> HeapSnapshot {
    let snapshot = try named(
      CountedHeap(ofProcess: process, findsPaths: findsPaths, timeout: timeout))
    if snapshot.entries.isEmpty {
      throw HeapUnavailable(
        reason: "process \(process) has no Swift object in a block of glibc's allocator; it may "
          + "use another allocator, such as that of a sanitizer, or no Swift")
    }
    return snapshot
  }

  private static func named(_ heap: borrowing CountedHeap) throws(HeapUnavailable) -> HeapSnapshot {
    if let reason = heap.failure { throw HeapUnavailable(reason: reason) }
    let names = TypeNames(ProcessMemory(process: heap.process))
    let (sums, paths) = (heap.sums, HeapPaths(heap.steps, names))
    let (rows, groups) = (heap.rows, heap.groups)
    return HeapSnapshot(
      process: Int(heap.process), millisecondsSince1970: LeakRecord.now,
      pauseNanoseconds: Int(sums.pause_nanoseconds),
      entries: rows.filter { $0.count > 0 || $0.dead_count > 0 }.map { Entry($0, names, paths) },
      otherCount: Int(sums.other_count), otherBytes: Int(sums.other_bytes),
      freeBytes: Int(sums.free_bytes), heldBytes: Int(sums.held_bytes),
      unreadBytes: Int(sums.unread_bytes),
      residentBytes: sums.resident_bytes == 0 ? nil : Int(sums.resident_bytes),
      dominators: groups.isEmpty ? nil : DominatorTree(groups, rows, names))
  }
}

extension HeapSnapshot.Entry {
  fileprivate init(_ row: cri_heap_row, _ names: TypeNames, _ paths: HeapPaths) {
    let (kind, typeName) = names.subject(of: row)
    self.init(
      kind: kind, typeName: typeName, count: Int(row.count), bytes: Int(row.bytes),
      deinitializedCount: Int(row.dead_count), deinitializedBytes: Int(row.dead_bytes),
      path: paths.path(of: row))
  }
}

extension TypeNames {
  /// Returns the kind and the name of the type of a row.
  func subject(of row: cri_heap_row) -> (kind: HeapSnapshot.Entry.Kind, typeName: String) {
    let metadata = UInt(row.metadata)
    return switch cri_node_kind(UInt32(row.kind)) {
    case CRI_NODE_CLOSURE: (.closure, captures(metadata))
    case CRI_NODE_VARIABLE: (.box, content(ofBox: metadata))
    case CRI_NODE_ERROR: (.error, name(ofType: metadata))
    case CRI_NODE_TASK: (.task, "task")
    default: (.object, name(ofType: metadata))
    }
  }
}

/// An error: the objects of a process could not be counted.
public struct HeapUnavailable: Error, Equatable {
  /// The reason of the failure.
  public let reason: String
}

extension HeapUnavailable: CustomStringConvertible {
  /// The failure and its reason on one line.
  public var description: String { "cannot count the objects of the heap: \(reason)" }
}

/// The result of one walk through the heap: a count for each metadata.
private struct CountedHeap: ~Copyable {
  private let heap: UnsafeMutablePointer<cri_heap>?

  /// Counts the objects of this process.
  init(findsPaths: Bool, timeout: Duration) {
    heap = cri_take_heap(Self.nanoseconds(of: timeout), findsPaths)
  }

  init(ofProcess process: Int32, findsPaths: Bool, timeout: Duration) {
    heap = cri_take_heap_of(process, Self.nanoseconds(of: timeout), findsPaths)
  }

  deinit {
    if let heap { cri_free_heap(heap) }
  }

  var process: Int32 { sums.process }

  var sums: cri_heap { heap?.pointee ?? cri_heap() }

  /// The rows of all types, also of those without an object.
  var rows: [cri_heap_row] {
    guard let heap else { return [] }
    return Array(
      UnsafeBufferPointer(start: cri_heap_rows(heap), count: Int(heap.pointee.row_count)))
  }

  /// The groups of blocks that retain others; empty if there was no search for them.
  var groups: [cri_heap_group] {
    guard let heap else { return [] }
    return Array(
      UnsafeBufferPointer(start: cri_heap_groups(heap), count: Int(heap.pointee.group_count)))
  }

  /// The blocks of all paths.
  var steps: [cri_heap_step] {
    guard let heap else { return [] }
    return Array(
      UnsafeBufferPointer(start: cri_heap_steps(heap), count: Int(heap.pointee.step_count)))
  }

  /// The reason why there are no counts; nil if there are.
  var failure: String? {
    guard let heap else {
      return "a snapshot needs Linux on a 64-bit platform, and memory for the counts"
    }
    switch cri_outcome(heap.pointee.outcome) {
    case CRI_OUTCOME_COUNTED: return nil
    case CRI_OUTCOME_TIMEOUT: return "the count did not finish in time; use a longer timeout"
    case CRI_OUTCOME_CRASH: return "the forked process that counts crashed"
    case CRI_OUTCOME_TOO_LARGE: return "the heap has too many types for a snapshot"
    case CRI_OUTCOME_NO_CHILD:
      return "this process could not fork or create a pipe; it may have reached a system limit"
    case CRI_OUTCOME_NO_ANSWER:
      return "the forked process that counts ended without an answer; the memory may be exhausted"
    case CRI_OUTCOME_NOT_ALLOWED:
      return "the system does not allow reading that process; run as its user or as root, in a "
        + "container with the capability SYS_PTRACE, and check kernel.yama.ptrace_scope"
    case CRI_OUTCOME_NO_PROCESS: return "there is no such process, or it has ended"
    default: return "there is too little memory, or the system does not list the process's memory"
    }
  }

  private static func nanoseconds(of timeout: Duration) -> UInt64 {
    guard timeout > .zero else {
      fatalError("the timeout of a snapshot must be positive, got \(timeout)")
    }
    return timeout.nanosecondsOfAtMostAnHour
  }
}

// MARK: Probe

private final class HeapProbe: Sendable {
  let number = 1
}

extension HeapSnapshot {
  /// Whether ``take(findsPaths:timeout:)`` works here: whether it counts test objects, whose number
  /// is known, exactly.
  ///
  /// The first use of this property counts them, which forks this process. The result is final if
  /// there is a count. A failure to fork, or to finish in time, may be temporary: after one, the
  /// next use repeats the test. The test objects, less than two kilobytes, remain in the process.
  public static var heapCapability: RuntimeCapability {
    if let known = verdict.load() { return known.capability }
    let (found, isFinal) = probe()
    return isFinal ? verdict.storeIfNil(Verdict(found)).capability : found
  }

  private final class Verdict: Sendable {
    let capability: RuntimeCapability

    init(_ capability: RuntimeCapability) { self.capability = capability }
  }

  private static let verdict = AtomicLazyReference<Verdict>()

  /// The test objects. All tests of the process count the same ones, so that tests on several
  /// threads do not count each other's.
  private static let probes = {
    var probes = (0..<57).map { _ in HeapProbe() }
    // Freed blocks must not be counted.
    probes.removeSubrange(20..<37)
    return probes
  }()

  private static func probe() -> (RuntimeCapability, isFinal: Bool) {
    let expected = probes.count
    let heap = CountedHeap(findsPaths: false, timeout: .seconds(10))
    if let reason = heap.failure { return (.unavailable(reason), isFinal: false) }
    let type = UInt64(UInt(bitPattern: unsafeBitCast(HeapProbe.self, to: UnsafeRawPointer.self)))
    let found = heap.rows.first { $0.metadata == type }?.count ?? 0
    guard found == expected else {
      let reason =
        "a test found \(found) of \(expected) objects in the blocks of glibc's allocator; this "
        + "process may use another allocator, such as that of a sanitizer, or another Swift runtime"
      return (.unavailable(reason), isFinal: true)
    }
    return (.available, isFinal: true)
  }
}
