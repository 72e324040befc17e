import CRuntimeInspection

/// A search for what holds an object that should be gone: itself (a retain cycle), an object that
/// was named as a root, or a task that is running still.
///
/// A copy of this process walks its own memory and is gone; here nothing is changed, locked or
/// called while other threads go on. It follows the strong references in fields, enums,
/// existentials, arrays, dictionaries, sets, closures and the variables they capture; it guesses at
/// what tasks hold, and says so (``/LeakReports/RetainPath/Edge/isProbable``). It does not see what C or global
/// variables hold, nor a task's finished result, nor tasks in memory that was mapped in pieces of
/// more than 4 GiB.
///
/// A cycle of which all is certain comes first: the object is leaked whatever the tasks that hold it
/// too will do. Then comes a path through a running task, then a cycle that is a guess. Roots are
/// looked at only if there is none of these, and tasks that nothing refers to only after those, as
/// far as the time allows: then no task is found, which is not an error.
public struct RetainSearch: Sendable {
  private var roots: [RetainRoot] = []
  private let timeout: Duration
  private let findsTasks: Bool
  /// What the copy of this process does wrong on purpose, for tests.
  package var fault = RetainFault.none

  /// - Parameters:
  ///   - timeout: How long ``find(_:)`` may take; then it gives up. A copy that says nothing in a
  ///     tenth of it is given up for another, which has three tenths, and that for a last one.
  ///   - findsTasks: Whether running tasks that nothing refers to are looked for as well, in all
  ///     memory, which takes the longer the more there is.
  public init(timeout: Duration = .milliseconds(500), findsTasks: Bool = true) {
    precondition(timeout > .zero, "expected a timeout of more than no time")
    self.timeout = timeout
    self.findsTasks = findsTasks
  }

  /// Has paths looked for from `object` as well. The search, and each copy of it, holds the object.
  public mutating func addRoot(_ name: String, _ object: AnyObject) {
    roots.append(RetainRoot(name: name, object: object))
  }

  /// What holds `object`, the shortest way found; the caller's own reference does not count.
  ///
  /// It blocks this thread until there is an answer, and threads that write to memory for the
  /// moment that copying this process takes, which grows with the memory in use. Threads may call
  /// it at once. An object that is being released at this moment may be said to be held. An object
  /// whose one reference is the caller's is never said to be held by a guess.
  ///
  /// - Complexity: O(*n*) in the objects that can be reached, in the copy; at most the timeout.
  public func find(_ object: some AnyObject) -> RetainFinding {
    if case .unavailable(let reason) = Self.capability { return .unavailable(reason) }
    return search(object, warms: true)
  }

  /// As ``find(_:)``, without asking first whether searching works here.
  ///
  /// - Parameter warms: Whether this process itself reads the types of the object's fields first,
  ///   so that a copy of it need not; only where searching is known to work.
  func search(_ object: some AnyObject, warms: Bool = false) -> RetainFinding {
    // Before anything here refers to it, a class's conversion included: one reference is the
    // caller's own.
    let suspect = Unmanaged.passUnretained(object).toOpaque()
    let strongCount = Int(cri_strong_count(suspect))
    let answer = UnsafeMutablePointer<cri_answer>.allocate(capacity: 1)
    defer { answer.deallocate() }
    withExtendedLifetime((object, roots)) {
      roots.map(\.address).withUnsafeBufferPointer { addresses in
        var search = cri_search(
          suspect: suspect, roots: addresses.baseAddress, root_count: addresses.count,
          timeout_nanoseconds: nanoseconds, is_shared: strongCount > 1, finds_tasks: findsTasks,
          warms: warms, fault: cri_fault(fault.rawValue))
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
}
