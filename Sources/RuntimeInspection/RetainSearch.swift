import CRuntimeInspection
import Synchronization

#if canImport(ObjectiveC)
  import ObjectiveC
#endif

// A search returns a path; the module that reads report files declares it.
@_exported public import struct LeakReports.RetainPath

/// A search for what holds an object that should be gone: the object itself (a retain cycle), an
/// object that the caller named as a root, or a task that is still running.
///
/// A forked copy of this process walks its own memory and ends; in this process the search changes,
/// locks and calls nothing while other threads go on. It follows the strong references in fields,
/// enums, existentials, arrays, dictionaries, sets, closures and the variables they capture. It
/// guesses at what tasks hold, and marks these edges (`RetainPath.Edge.isProbable`). It does not
/// see what C or global variables hold, a task's finished result, or tasks in a mapping of more
/// than 4 GiB.
///
/// A cycle without a guess comes first: the object is leaked whatever the tasks that also hold it
/// do. A path through a running task comes second, a cycle with a guess third. The search starts
/// from the roots only without any of these, and last, as far as the time allows, from tasks that
/// nothing refers to. Without the time it finds no such task, which is not an error.
public struct RetainSearch: Sendable {
  private var roots: [Root] = []
  private let timeout: Duration
  private let findsTasks: Bool

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - timeout: How long ``find(_:)`` may take. A copy that does not answer in a tenth of it is
  ///     replaced by another, which has three tenths, and that one by a last one.
  ///   - findsTasks: Whether the search also scans all memory for running tasks that nothing refers
  ///     to. That takes longer the more memory there is.
  public init(timeout: Duration = .milliseconds(500), findsTasks: Bool = true) {
    precondition(timeout > .zero, "timeout must be positive, got \(timeout)")
    self.timeout = timeout
    self.findsTasks = findsTasks
  }

  /// Makes the search start from `object` too. The search, and each copy of it, holds the object.
  public mutating func addRoot(_ name: String, _ object: AnyObject) {
    roots.append(Root(name: name, object: object))
  }

  /// Returns the shortest path found to `object`; the caller's own reference does not count.
  ///
  /// Blocks this thread until there is an answer. Blocks threads that write to memory during the
  /// fork, which takes longer the more memory is in use. Threads may call it concurrently. It may
  /// report that an object is held which is being released at this moment. It never reports a guess
  /// for an object whose only reference is the caller's.
  ///
  /// - Complexity: O(*n*) in the objects that can be reached, in the copy; at most the timeout.
  public func find(_ object: some AnyObject) -> RetainFinding {
    if case .unavailable(let reason) = Self.capability { return .unavailable(reason) }
    return search(object, warms: true)
  }

  /// Searches as ``find(_:)`` does, without asking first whether searching works here.
  ///
  /// - Parameter warms: Whether this process itself resolves the types of the object's fields
  ///   first, so that a copy of it need not. Only where searching is known to work.
  private func search(_ object: some AnyObject, warms: Bool = false) -> RetainFinding {
    // Before any conversion here refers to it: one reference is the caller's own.
    let suspect = Unmanaged.passUnretained(object).toOpaque()
    let strongCount = Int(cri_strong_count(suspect))
    let answer = UnsafeMutablePointer<cri_answer>.allocate(capacity: 1)
    defer { answer.deallocate() }
    withExtendedLifetime((object, roots)) {
      roots.map(\.address).withUnsafeBufferPointer { addresses in
        var search = cri_search(
          suspect: suspect, roots: addresses.baseAddress, root_count: addresses.count,
          timeout_nanoseconds: nanoseconds, is_shared: strongCount > 1, finds_tasks: findsTasks,
          warms: warms)
        cri_find_retain_path(&search, answer)
      }
    }
    return RetainAnswer(answer: answer, roots: roots.map(\.name), timeout: timeout)
      .finding(strongCount: strongCount)
  }

  private var nanoseconds: UInt64 {
    let (seconds, attoseconds) = min(timeout, .seconds(3600)).components
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }

  /// An object from which the search starts.
  fileprivate struct Root {
    let name: String
    let object: AnyObject

    /// Valid as long as the root is.
    var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()) }
  }
}

// @unchecked: the search keeps the object and takes its address; it reads only the object's class,
// which never changes. The last copy of a search releases the object, so its `deinit` may run on
// any thread, as that of any shared object.
extension RetainSearch.Root: @unchecked Sendable {}

/// What a search for what holds an object found.
public enum RetainFinding: Sendable, Hashable {
  /// One of the paths to the object, which has `strongCount` references altogether, the caller's
  /// included.
  case path(RetainPath, strongCount: Int)
  /// Nothing that a search can see holds it: neither the object itself, nor a root, nor a running
  /// task.
  case none(strongCount: Int)
  /// Nothing is known, for the reason given: searching does not work here, or the search failed.
  case unavailable(String)

  public var path: RetainPath? {
    if case .path(let path, strongCount: _) = self { path } else { nil }
  }
}

// MARK: Probe

extension RetainSearch {
  /// Whether searching works here: it does if it finds a cycle through a closure that this makes.
  ///
  /// The first caller, or the first search, tries it, which takes milliseconds, and seconds at
  /// worst. The result is kept if searching works or finds something wrong. A failure to get a
  /// process or enough time may be temporary: the next caller tries again.
  public static var capability: RuntimeCapability {
    // Relaxed: the number is all that is published, and a thread that does not see it tries for
    // itself.
    switch verdict.load(ordering: .relaxed) {
    case works: return .available
    case findsOtherwise: return otherRuntime
    default: return test()
    }
  }

  private final class Probe {
    let number = 1
    var holding: (() -> Int)?
  }

  private static let verdict = Atomic(0)
  private static let works = 1
  private static let findsOtherwise = 2
  private static let otherRuntime = RuntimeCapability.unavailable(
    "searching does not find here what it should: another runtime?")

  private static func test() -> RuntimeCapability {
    var found = RuntimeCapability.available
    // One failure decides nothing: the process may only have been short of time.
    for _ in 0..<3 {
      found = test(RetainSearch(timeout: .seconds(1), findsTasks: false))
      if found == .available { break }
    }
    // Relaxed, as above.
    if found == .available { verdict.store(works, ordering: .relaxed) }
    if found == otherRuntime { verdict.store(findsOtherwise, ordering: .relaxed) }
    return found
  }

  private static func test(_ search: RetainSearch) -> RuntimeCapability {
    let probe = Probe()
    let other = Probe()
    let before = search.search(probe)
    probe.holding = { [unowned other] in probe.number + other.number }
    other.holding = { [weak other] in other?.number ?? 0 }
    defer { probe.holding = nil }
    let (cycle, none) = (search.search(probe), search.search(other))
    for case .unavailable(let reason) in [before, cycle, none] { return .unavailable(reason) }
    guard cycle.path?.origin == .cycle, cycle.path?.edges.map(\.label) == [".holding", "capture"],
      before.path == nil, none.path == nil
    else { return otherRuntime }
    return .available
  }
}

/// Whether something that relies on private parts of the runtime works here, as a probe found.
public enum RuntimeCapability: Sendable, Equatable {
  case available
  /// It does not work here, with a reason for people.
  case unavailable(String)
}

// MARK: Reference counts

/// Returns the number of strong references to `object` besides the argument itself; nil for an
/// object of Objective-C, which counts in its own way.
///
/// A figure for people: it may be outdated when it is returned, and includes references that the
/// optimizer keeps for a moment.
public func strongCount(of object: AnyObject) -> Int? {
  #if canImport(ObjectiveC)
    if object is any NSObjectProtocol { return nil }
  #endif
  let address = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
  return withExtendedLifetime(object) { Int(cri_strong_count(address)) }
}
