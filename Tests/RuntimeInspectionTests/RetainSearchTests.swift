import CRetainFaults
import CRuntimeInspection
import Foundation
import RuntimeInspection
import Synchronization
import Testing

/// The time limit is for a search process that does not stop by itself, and whose parent waits.
@Suite(
  .serialized, .timeLimit(.minutes(10)), .enabled(if: RetainSearch.capability == .available))
struct RetainSearchTests {
  /// The first attempt has a tenth of it, which only a process that hangs reaches.
  private static let patience = Duration.seconds(3600)

  private func reason(_ finding: RetainFinding) -> String? {
    if case .unavailable(let reason) = finding { reason } else { nil }
  }

  /// Runs `body`, in which the first `count` search processes have the given fault.
  private func with<R>(_ fault: crf_fault, count: UInt32 = .max, _ body: () throws -> R) rethrows
    -> R
  {
    crf_arm(fault, count)
    defer { crf_arm(CRF_NONE, 0) }
    return try body()
  }

  @Test func `a search that hangs is abandoned at its timeout`() {
    let search = RetainSearch(timeout: .milliseconds(80))
    let began = ContinuousClock.now
    let found = with(CRF_HANG) { search.find(Holder()) }
    #expect(reason(found)?.contains("ran out of time") == true, "\(found)")
    #expect(ContinuousClock.now - began >= .milliseconds(80))
  }

  @Test func `a search that crashes is unavailable, and the process continues`() {
    let found = with(CRF_CRASH) { RetainSearch(timeout: Self.patience).find(Holder()) }
    #expect(reason(found)?.contains("crashed") == true, "\(found)")
  }

  @Test(arguments: [CRF_HANG, CRF_ALARM])
  func `a search whose first process hangs is repeated, and succeeds`(_ fault: crf_fault) {
    let search = RetainSearch(timeout: .seconds(60))
    let holder = Holder()
    holder.other = holder
    defer { holder.breakCycles() }
    // The first process takes a second of the time; on a busy machine, the rest may be too short.
    var found = with(fault, count: 1) { search.find(holder) }
    while found.isOutOfTime, !Task.isCancelled {
      found = with(fault, count: 1) { search.find(holder) }
    }
    #expect(found.path?.edges.map(\.label) == [".other"])
  }

  @Test func `a search process that exits silently has another reason than one that crashes`() {
    let search = RetainSearch(timeout: Self.patience)
    let found = reason(with(CRF_EXIT) { search.find(Holder()) })
    let crashed = reason(with(CRF_CRASH) { search.find(Holder()) })
    #expect(found != nil)
    #expect(found != crashed)
  }

  @Test func `an object whose visit crashes is left out, and the rest is searched`() {
    let holder = Holder()
    holder.other = Unmanaged<Holder>.fromOpaque(crf_broken_object()).takeUnretainedValue()
    holder.object = Holder()
    let notFound = findPatiently(holder)
    #expect(reason(notFound)?.contains("crashed") == true, "\(notFound)")
    (holder.object as? Holder)?.other = holder
    let found = findPatiently(holder)
    #expect(found.path?.edges.map(\.label) == [".object", ".other"], "\(found)")
    holder.breakCycles()
  }

  /// Under ThreadSanitizer, `a walk stops at its deadline` tests the part of it that works there.
  @Test(.enabled(if: crf_alarms_are_handled()))
  func `a search that runs out of time gives that reason`() {
    // The search process stops by itself: this process would wait longer than the suite may take.
    let found = with(CRF_ALARM) { RetainSearch(timeout: Self.patience).find(Holder()) }
    #expect(reason(found)?.contains("ran out of time") == true, "\(found)")
  }

  @Test func `a walk stops at its deadline`() {
    let first = Holder()
    var last = first
    for _ in 0..<200 {
      last.other = Holder()
      last = last.other!
    }
    last.other = first
    var isLate = false
    let suspect = Unmanaged.passUnretained(first).toOpaque()
    #expect(cri_outcome(crf_search(suspect, 0, &isLate)) == CRI_OUTCOME_TIMEOUT)
    #expect(isLate)
    #expect(cri_outcome(crf_search(suspect, 60_000_000_000, &isLate)) == CRI_OUTCOME_PATH)
    #expect(!isLate)
    unlink(first)
  }

  @Test func `a long path has its middle left out`() throws {
    let first = Holder()
    var last = first
    for _ in 0..<1000 {
      last.other = Holder()
      last = last.other!
    }
    last.other = first
    let path = try #require(findPatiently(first).path)
    #expect(path.nodes.count == 102)
    #expect(path.nodes.filter { $0.typeName == "…" }.count == 1)
    unlink(first)
  }

  @Test func `an object with too large an array is not reported to hold nothing`() {
    let holder = Holder()
    holder.list = Array(repeating: Holder(), count: (1 << 20) + 1)
    let found = findPatiently(holder)
    #expect(reason(found)?.contains("exceed the limit") == true, "\(found)")
  }

  /// Unlinks the objects, so that their deinitializers do not recurse.
  private func unlink(_ first: Holder) {
    var next: Holder? = first
    while let holder = next {
      next = holder.other
      holder.other = nil
    }
  }

  @Test func `searches leave neither processes nor files behind`() throws {
    let holder = Holder()
    holder.other = holder
    defer { holder.breakCycles() }
    _ = RetainSearch().find(holder)
    let before = try counts()
    for fault in [CRF_NONE, CRF_CRASH, CRF_HANG] {
      let search = RetainSearch(timeout: .milliseconds(fault == CRF_HANG ? 5 : 500))
      with(fault) { for _ in 0..<20 { _ = search.find(holder) } }
    }
    // Other tests use a few files and processes, but fewer than ten. A process that was killed ends
    // later, and on a busy machine much later.
    var after = try counts()
    while !Task.isCancelled,
      after.files >= before.files + 10 || after.processes >= before.processes + 10
    {
      usleep(1000)
      after = try counts()
    }
    #expect(after.files < before.files + 10)
    #expect(after.processes < before.processes + 10)
  }

  /// Returns the number of open files of this process, and of children of its threads.
  private func counts() throws -> (files: Int, processes: Int) {
    let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    // A thread may have ended meanwhile.
    let children = threads.compactMap { thread in
      FileHandle(forReadingAtPath: "/proc/self/task/\(thread)/children").map { list in
        String(decoding: list.readDataToEndOfFile(), as: UTF8.self).split(separator: " ").count
      }
    }
    return (files, children.reduce(0, +))
  }
}

/// Searches in processes with unusual settings.
@Suite(.serialized, .enabled(if: RetainSearch.capability == .available))
struct RetainProcessTests {
  /// Returns whether one of a few searches finds a cycle.
  private static func findsCycle() -> Bool {
    let holder = Holder()
    holder.other = holder
    defer { holder.breakCycles() }
    return findPatiently(holder).path?.edges.map(\.label) == [".other"]
  }

  @Test func `a process without standard files finds a cycle`() async {
    await #expect(processExitsWith: .success) {
      for file: Int32 in 0...2 { close(file) }
      if !Self.findsCycle() { exit(2) }
    }
  }

  @Test func `a process that ignores the end of its children finds a cycle`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGCHLD, SIG_IGN)
      if !Self.findsCycle() { exit(2) }
    }
  }

  /// Swift Testing waits for any child in its exit tests, so one that remained would block it.
  @Test func `a child that ends late is waited for, and none remains`() async {
    await #expect(processExitsWith: .success) {
      crf_end_children(20)
      for _ in 0..<600_000 {
        var end = siginfo_t()
        let options = WEXITED | WNOHANG | WNOWAIT
        if waitid(P_ALL, 0, &end, options) == -1 && errno == ECHILD { exit(EXIT_SUCCESS) }
        usleep(1000)
      }
      exit(2)
    }
  }

  @Test func `a signal that the program handles does not disturb a search`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGALRM) { _ in }
      var interval = itimerval()
      interval.it_interval.tv_usec = 500
      interval.it_value.tv_usec = 500
      #if canImport(Glibc)
        setitimer(.init(ITIMER_REAL.rawValue), &interval, nil)
      #else
        setitimer(ITIMER_REAL, &interval, nil)
      #endif
      for _ in 0..<20 where !Self.findsCycle() { exit(2) }
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct RetainCapabilityTests {
  @Test func `searching is available on Linux, and elsewhere reports that it is not`() {
    #if os(Linux) && (arch(x86_64) || arch(arm64)) && !WeakBoxes
      // A busy machine may delay the test searches; the property repeats them.
      while RetainSearch.capability != .available, !Task.isCancelled {}
      #expect(RetainSearch.capability == .available)
    #else
      #expect(RetainSearch.capability != .available)
      guard case .unavailable = RetainSearch().find(Holder()) else {
        Issue.record("found something")
        return
      }
    #endif
  }
}

/// Returns the result of `search`, which is repeated as long as it runs out of time: its process
/// may wait for a lock that another thread held at the fork, or get no processor.
func findPatiently(
  _ object: some AnyObject, with search: RetainSearch = RetainSearch(timeout: .seconds(60))
) -> RetainFinding {
  // No closure, which would retain the object: a search guesses only about one that others retain.
  let end = ContinuousClock.now + .seconds(600)
  var found = search.find(object)
  while found.isOutOfTime, ContinuousClock.now < end { found = search.find(object) }
  return found
}

extension RetainFinding {
  /// Whether a search ran out of time.
  var isOutOfTime: Bool {
    if case .unavailable(let reason) = self { reason.contains("ran out of time") } else { false }
  }

  /// Whether a search succeeded and found no holder.
  var isNone: Bool {
    if case .none = self { true } else { false }
  }
}
