import CRuntimeInspection
import Synchronization

#if canImport(ObjectiveC)
  import ObjectiveC
#endif

// Exported, because a search returns a path, which `LeakReports` declares.
@_exported public import struct LeakReports.RetainPath

/// A search for the holder of an object that should have been deallocated: the object itself (a
/// retain cycle), an object that the caller named as a root, or a running task.
///
/// A forked copy of this process walks its own memory and exits. In this process, the search only
/// reads the object's reference count. Other threads continue. The search follows the strong
/// references in fields, enums, existentials, arrays, dictionaries, sets, closures and the
/// variables they capture. It guesses the references of tasks, and marks these edges
/// (`RetainPath.Edge.isProbable`). It does not find references in Dispatch's blocks, in other C
/// memory, behind unsafe pointers, in key paths, in global variables, in the finished result of a
/// task, and in tasks in a mapping of more than 4 GiB.
///
/// The search prefers a cycle without a guess, because then the object is leaked, whether or not
/// tasks hold it too. A path through a running task comes second, and a cycle with a guess third.
/// If the search finds none of these, it starts again from the roots, and finally from running
/// tasks that no object refers to. If only the time for that last step is too short, the search
/// does not fail.
public struct RetainSearch: Sendable {
  private var roots: [Root] = []
  private let timeout: Duration
  private let findsTasks: Bool

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - timeout: The maximum duration of ``find(_:)``. The first copy gets a tenth of it, a second
  ///     copy three tenths, and a third one the rest.
  ///   - findsTasks: Whether the search also scans all memory for running tasks, because no object
  ///     may refer to a task. The duration of the scan grows with the size of the memory.
  /// - Precondition: `timeout` is positive.
  public init(timeout: Duration = .milliseconds(500), findsTasks: Bool = true) {
    guard timeout > .zero else {
      fatalError("the timeout of a search must be positive, got \(timeout)")
    }
    self.timeout = timeout
    self.findsTasks = findsTasks
  }

  /// Adds a root: an object from which the search starts if it finds no path from the object
  /// itself.
  ///
  /// - Parameters:
  ///   - name: The name of the root in paths.
  ///   - object: The root. This value and each copy of it holds the root.
  public mutating func addRoot(_ name: String, _ object: AnyObject) {
    roots.append(Root(name: name, object: object))
  }

  /// Searches for the holder of an object; the caller's own reference does not count.
  ///
  /// Blocks this thread until there is an answer. Blocks other threads that write to memory during
  /// the fork, whose duration grows with the memory in use. Threads may call it concurrently. It
  /// may report a holder that is just releasing the object. It never reports a guess for an object
  /// whose only reference is the caller's.
  ///
  /// - Parameter object: The object, which stays alive during the search.
  /// - Returns: The best path that the search found, no path, or the reason why there is no answer.
  /// - Complexity: O(*n*) in the number of reachable objects, in the copy; at most the timeout.
  public func find(_ object: some AnyObject) -> RetainFinding {
    if case .unavailable(let reason) = Self.capability { return .unavailable(reason) }
    return search(object)
  }

  /// Searches as ``find(_:)`` does, but does not check first whether a search works here.
  private func search(_ object: some AnyObject) -> RetainFinding {
    // Read the count first, while the caller's reference is the only one of this call.
    let suspect = Unmanaged.passUnretained(object).toOpaque()
    let strongCount = Int(cri_strong_count(suspect))
    let answer = UnsafeMutablePointer<cri_answer>.allocate(capacity: 1)
    defer { answer.deallocate() }
    withExtendedLifetime((object, roots)) {
      roots.map(\.address).withUnsafeBufferPointer { addresses in
        var search = cri_search(
          suspect: suspect, roots: addresses.baseAddress, root_count: addresses.count,
          timeout_nanoseconds: timeout.nanosecondsOfAtMostAnHour, is_shared: strongCount > 1,
          finds_tasks: findsTasks)
        cri_find_retain_path(&search, answer)
      }
    }
    return RetainAnswer(answer: answer, roots: roots.map(\.name), timeout: timeout)
      .finding(strongCount: strongCount)
  }

  /// An object from which the search starts.
  fileprivate struct Root {
    let name: String
    let object: AnyObject

    /// The address of the object, valid as long as the root exists.
    var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()) }
  }
}

// @unchecked: the search holds the object and takes its address. In this process it reads only the
// object's class, which never changes. The last copy of a search releases the object, so the
// object's `deinit` may run on any thread, like that of any shared object.
extension RetainSearch.Root: @unchecked Sendable {}

/// The result of a search for the holder of an object.
public enum RetainFinding: Sendable, Hashable {
  /// The search found a path to the object, which has `strongCount` strong references, the
  /// caller's included.
  case path(RetainPath, strongCount: Int)
  /// The search found no path: neither the object itself, nor a root, nor a running task holds the
  /// object by references that a search can follow.
  case none(strongCount: Int)
  /// There is no answer, for the given reason: a search does not work here, or it failed.
  case unavailable(String)

  /// The path; nil if the search found none or failed.
  public var path: RetainPath? {
    if case .path(let path, strongCount: _) = self { path } else { nil }
  }
}

extension Duration {
  /// The duration, at most an hour, in nanoseconds.
  var nanosecondsOfAtMostAnHour: UInt64 {
    let (seconds, attoseconds) = min(self, .seconds(3600)).components
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}

// MARK: Probe

extension RetainSearch {
  /// Whether a search works here: whether a test search finds a known cycle through a closure, and
  /// no path where there is none.
  ///
  /// The first use of this property, or the first search, runs the test, which forks this process.
  /// The result is final if the search works or its result is wrong. A failure to fork, or to
  /// finish in time, may be temporary: after one, the next use repeats the test.
  public static var capability: RuntimeCapability {
    // Relaxed: the number orders no other memory, and a thread that does not see it runs the test
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
    "a test search found a wrong result; this Swift runtime may differ from the supported one")

  private static let otherTasks = RuntimeCapability.unavailable(
    "the layout of tasks in this Swift runtime is unknown; a search would miss a task that holds "
      + "the object")

  private static func test() -> RuntimeCapability {
    guard cri_knows_tasks() else { return otherTasks }
    var found = RuntimeCapability.available
    // Three attempts: a test search may fail only because the machine was busy.
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

/// The result of a probe: whether a feature that relies on private parts of the runtime works here.
public enum RuntimeCapability: Sendable, Equatable {
  /// The feature works here.
  case available
  /// The feature does not work here, for the given reason.
  case unavailable(String)
}

// MARK: Reference counts

/// Returns the number of strong references to `object`, including the one that keeps it alive
/// during the call; nil for an Objective-C object, which has another reference count.
///
/// Only for display: other threads may change the number before the function returns, and it may
/// include temporary references of the optimizer. Runs no probe.
public func strongCount(of object: AnyObject) -> Int? {
  #if canImport(ObjectiveC)
    // Not `NSObjectProtocol`, to which the root class of pure Swift classes conforms too.
    if object is NSObject { return nil }
  #endif
  let address = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
  return withExtendedLifetime(object) { Int(cri_strong_count(address)) }
}
