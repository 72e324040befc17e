import Primitives
import RuntimeInspection
import Testing
import WeakCollections

@testable import LeakMonitoring

private final class Screen {
  var onClose: (() -> Void)?
  var child: Screen?
}

/// Larger than any object of another test. An object at the address of an earlier one may be found
/// through an outdated word in the frame of a task, which is then reported as a probable holder.
private final class Window {
  var child: Window?
  private let size = (
    CacheLinePadding(), CacheLinePadding(), CacheLinePadding(), CacheLinePadding(),
    CacheLinePadding(), CacheLinePadding(), CacheLinePadding(), CacheLinePadding(),
    CacheLinePadding(), CacheLinePadding(), CacheLinePadding(), CacheLinePadding(),
    CacheLinePadding(), CacheLinePadding(), CacheLinePadding(), CacheLinePadding(),
    CacheLinePadding(), CacheLinePadding(), CacheLinePadding(), CacheLinePadding(),
    CacheLinePadding(), CacheLinePadding(), CacheLinePadding(), CacheLinePadding()
  )
}

private actor Counter {
  private(set) var sum = 0

  func count(_ stream: AsyncStream<Int>) async {
    for await number in stream { sum += number }
  }
}

@Suite(.timeLimit(.minutes(10)), .enabled(if: RetainSearch.capability == .available))
struct RetainPathsTests {
  private var (monitor, leaks, clock) = makeClockedMonitor()

  init() { monitor.retainPaths = .shown(timeout: .seconds(60)) }

  @Test func `2.9 a survivor's path is shown on request`() async throws {
    let screen = WeakReference(screenWithCycle())
    defer { screen.promote()?.onClose = nil }
    try expectDeallocation(of: screen)
    await decide()
    let leak = try #require(leaks.all.first)
    let path = try #require(leak.survivors.first?.retainPath)
    #expect(leak.state == .leaked && path.origin == .cycle)
    #expect(path.edges.map(\.label) == [".onClose", "capture"])
    #expect(leak.text.contains("       LeakMonitoringTests.Screen holds itself:"))
    #expect(leak.messageWithHolders.hasPrefix(leak.message + "\n  LeakMonitoringTests.Screen"))
  }

  @Test func `without a request, or for an allowed leak, no path is searched for`() async throws {
    monitor.retainPaths = .hidden
    let screen = WeakReference(screenWithCycle())
    defer { screen.promote()?.onClose = nil }
    try expectDeallocation(of: screen)
    await decide()
    monitor.retainPaths = .shown()
    monitor.allowLeaks(of: Screen.self, upTo: 1)
    try expectDeallocation(of: screen)
    await clock.tick(20, sleepers: 2)
    await monitor.settle()
    #expect(leaks.all.map(\.state) == [.leaked, .allowed])
    #expect(leaks.all.allSatisfy { $0.survivors.count == 1 })
    #expect(leaks.all.allSatisfy { $0.survivors[0].retainFinding == nil })
    #expect(leaks.all[0].messageWithHolders == leaks.all[0].message)
  }

  @Test func `2.10 the path from a named root is shown, as long as the root is alive`() throws {
    var root: Window? = Window()
    root?.child = Window()
    monitor.addRoot("window", Screen())
    monitor.addRoot("window", root!)
    monitor.addRoot("gone", Screen())
    let child = root!.child!
    monitor.validate(child, max: 0)
    let path = try #require(leaks.all.last?.survivors.first?.retainPath)
    #expect(path.origin == .root("window") && path.edges.map(\.label) == [".child"])
    root = nil
    monitor.validate(child, max: 0)
    let leak = try #require(leaks.all.last)
    #expect(leak.survivors.first?.retainPath?.origin != .root("window"), "\(leak.text)")
    // Under ThreadSanitizer an outdated word in the frame of this test's task may lead to a closure
    // that is no longer in use, which is then a probable holder.
    if !Sanitizer.isThreadSanitizer {
      #expect(leak.text.contains("no holder found"), "\(leak.text)")
    }
  }

  @Test func `a task inherits the setting and the roots`() throws {
    let root = Screen()
    root.child = Screen()
    monitor.addRoot("window", root)
    try MemoryLeakMonitor.withIsolation(in: monitor) {
      MemoryLeakMonitor.withIsolation {
        #expect(MemoryLeakMonitor.retainPaths == .shown(timeout: .seconds(60)))
        MemoryLeakMonitor.validate(root.child!, max: 0)
        MemoryLeakMonitor.retainPaths = .hidden
        MemoryLeakMonitor.addRoot("inner", root.child!)
      }
      #expect(MemoryLeakMonitor.retainPaths != .hidden)
      let path = try #require(leaks.all.first?.survivors.first?.retainPath)
      #expect(path.origin == .root("window"))
      MemoryLeakMonitor.validate(root.child!, max: 0)
      #expect(leaks.all.last?.survivors.first?.retainPath?.origin == .root("window"))
    }
  }

  @Test func `3.1 an object of a running task has that state, and is late after the task`()
    async throws
  {
    let (stream, source) = AsyncStream.makeStream(of: Int.self)
    let task: Task<Void, Never>
    do {
      let counter = Counter()
      task = Task { await counter.count(stream) }
      source.yield(1)
      while await counter.sum == 0 { await Task.yield() }
      // The task may still run on its thread, whose stack no search reads.
      while !isHeldByTask(counter) { await Task.yield() }
      monitor.expectDeallocation(of: counter, within: .zero)
    }
    await decide()
    #expect(leaks.all.map(\.state) == [.retainedByRunningTask])
    #expect(
      leaks.all[0].message.contains(
        ", retained by a running task; likely line to change: the task that uses "
          + "LeakMonitoringTests.Counter (cancel it"))
    source.finish()
    await task.value
    await clock.tick()
    #expect(await leaks.first(2).map(\.state) == [.retainedByRunningTask, .late])
    #expect(leaks.all[1].survivors.isEmpty)
  }

  /// Whether a search finds that a suspended task holds `object`.
  private func isHeldByTask(_ object: some AnyObject) -> Bool {
    guard case .path(let path, _) = RetainSearch(timeout: .seconds(60)).find(object) else {
      return false
    }
    return path.origin == .runningTask
  }

  private func screenWithCycle() -> Screen {
    let screen = Screen()
    screen.onClose = { screen.child = nil }
    return screen
  }

  private func expectDeallocation(of screen: WeakReference<Screen>) throws {
    monitor.expectDeallocation(of: try #require(screen.promote()), within: .zero)
  }

  /// Polls twenty times, which ends a grace period of zero.
  private func decide() async {
    await clock.tick(20)
    await monitor.settle()
  }
}

private final class Session {}

struct HolderSearchTests {
  private let session = Session()

  @Test func `the first five of many survivors are searched for`() {
    var search = HolderSearch { _ in .none(strongCount: 1) }
    let findings = (1...9).map { _ in search.find(LifeSign(session)) }
    #expect(findings.map { $0 != nil } == (1...9).map { $0 <= 5 })
  }

  @Test func `a search that failed is the last one`() {
    var search = HolderSearch { _ in .unavailable("too slow") }
    #expect(search.find(LifeSign(session)) == .unavailable("too slow"))
    #expect(search.find(LifeSign(session)) == nil)
  }

  @Test func `the report gives the reason for an unknown holder`() {
    var report = LeakReport.example()
    report.survivors = [
      LeakSurvivor(
        typeName: "App.Session", description: "Session", age: .zero,
        retainFinding: .unavailable("too slow"))
    ]
    #expect(report.text.contains("       holder unknown: too slow\n"))
  }

  @Test func `each of several paths names its survivor`() {
    var report = LeakReport.example()
    report.survivors = ["One", "Other"].map { name in
      LeakSurvivor(
        typeName: "App.\(name)", description: name, age: .zero,
        retainFinding: .none(strongCount: 2))
    }
    let holder =
      "no holder found (strong references: 2): searched for a cycle, and from the added roots and "
      + "running tasks; not searched: Dispatch's blocks, other C memory, memory behind unsafe "
      + "pointers, key paths, and global or static variables that are no added roots"
    #expect(report.holderLines == ["1. One", holder, "2. Other", holder])
  }

  @Test(arguments: [(nil, false), ("", false), ("0", false), ("1", true), ("yes", true)])
  func `LEAK_PATHS shows paths in a whole run`(_ setting: String?, _ isShown: Bool) {
    #expect(RetainPaths.standard(setting: setting) == (isShown ? .shown() : .hidden))
  }
}

struct RetainPathRecordTests {
  private static let paths: [RetainPath] = [
    RetainPath(
      origin: .cycle, nodes: ["App.Session", "closure", "App.Session"].map { .init(typeName: $0) },
      edges: [.init(label: ".onClose"), .init(label: "capture")]),
    RetainPath(
      origin: .root("the \"window\""), nodes: [.init(typeName: "App.Session")], edges: []),
    RetainPath(
      origin: .runningTask, nodes: ["task", "App.Session"].map { .init(typeName: $0) },
      edges: [.init(label: "frame of a task", isProbable: true)]),
    RetainPath(
      origin: .cycle, nodes: ["App.Session", "App.Session"].map { .init(typeName: $0) },
      edges: [.init(label: ".state.open", isPayload: true)]),
  ]

  private func report(_ path: RetainPath) -> LeakReport {
    var report = LeakReport.example()
    report.survivors = [
      LeakSurvivor(
        typeName: "App.Session", description: "Session", age: .zero,
        retainFinding: .path(path, strongCount: 1))
    ]
    return report
  }

  @Test(arguments: paths) func `a written path can be read`(_ path: RetainPath) throws {
    let record = LeakRecord(report(path), millisecondsSince1970: 1)
    #expect(record.survivors[0].path == path)
    #expect(try LeakRecord(jsonLine: record.jsonLine.utf8, of: "a", number: 1) == record)
  }

  @Test(arguments: [
    (
      #""edges":[{"label":".onClose","isProbable":false},"#, #""edges":["#,
      "one edge fewer than nodes; nodes: 3, edges: 1"
    ),
    (#""origin":"cycle""#, #""origin":"lost""#, "one of cycle, root, runningTask for 'origin'"),
    (#""origin":"cycle""#, #""origin":"root""#, "'root' in the object"),
    (#""isProbable":false},"#, #""isProbable":0},"#, "true or false for 'isProbable'"),
  ])
  func `a malformed path is refused`(_ text: String, _ bad: String, _ expected: String) {
    let line = LeakRecord(report(Self.paths[0]), millisecondsSince1970: 1).jsonLine
    #expect(line.contains(text))
    let error = #expect(throws: LeakFileError.self) {
      try LeakRecord(jsonLine: line.replacing(text, with: bad).utf8, of: "a", number: 1)
    }
    #expect(error?.description.hasSuffix("expected \(expected)") == true)
  }

  @Test func `JUnit's message contains the path`() {
    let reporter = JUnitLeakReporter(file: "")
    reporter.report(report(Self.paths[0]))
    #expect(reporter.kept.cases.values.first?.messages[0].contains(".onClose -> closure") == true)
  }
}
