import Foundation
import LeakMonitoring
import Testing
import Threading
import WeakCollections

@testable import LeakTesting

// @unchecked: not final, for a subclass; its number never changes.
private class Session: MemoryLeakMonitorable, @unchecked Sendable {
  let number: Int

  init(_ number: Int, _ monitor: MemoryLeakMonitor) {
    self.number = number
    monitor.validate(self)
  }
}

/// Says something else of each instance.
private final class DescribedSession: Session, @unchecked Sendable {
  var description: String { "session \(number)" }
}

// What is a leak, and must be told. The rest of the list is where the code is that might miss it:
//
// - an overridden description: `0.7, D 0.b: instances that describe themselves differently are of
//   one class`, MemoryLeakMonitorTests
// - properties of superclasses: `4.7 properties of superclasses count`, LeakCheckTestCaseTests
// - collections of objects: `4.4 containers, tuples, structs and enums are looked into`,
//   LeakCheckTestCaseTests
// - weak boxes of optionals: `0.k an optional class traps`, RefusedTypesTests
@Suite(.timeLimit(.minutes(10))) struct FalseNegativeTests {
  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `D 0.d false negative: of two threads that use a class first none loses its instance`(
    _ backend: Backend
  ) async {
    for round in 0..<10 {
      // A new one each time, so that both threads find nothing there.
      let monitor = MemoryLeakMonitor(backend: backend)
      // The first backtrace of a thread reads the symbols of all the tests.
      monitor.sampling = .none
      let liveCounts = MutexLock([Int]())
      monitor.reporter = .closure { leak in liveCounts.write { $0.append(leak.liveCount) } }
      let sessions = await onOwnThreads(2) { Session($0, monitor) }
      #expect(monitor.liveCount(of: Session.self) == 2, "in round \(round)")
      #expect(liveCounts.read { copy $0 } == [2])
      withExtendedLifetime(sessions) {}
    }
  }

  @Test func `0.7 false negative: a description of its own in a subclass hides no instance`() {
    let monitor = MemoryLeakMonitor(backend: .mutex)
    let liveCounts = MutexLock([Int]())
    monitor.reporter = .closure { leak in liveCounts.write { $0.append(leak.liveCount) } }
    let sessions = (1...3).map { DescribedSession($0, monitor) }
    #expect(liveCounts.read { copy $0 } == [2, 3])
    #expect(sessions.map(\.description) == ["session 1", "session 2", "session 3"])
  }
}

/// A window that lets go of its panel where it lives, whoever lets go of it.
@Stage private final class Window {
  private var panel: Screen?

  nonisolated init(_ panel: Screen) { self.panel = panel }

  isolated deinit { panel = nil }
}

/// The same on the main actor, whose panel is closed by a task of its own after that.
@MainActor private final class MainWindow {
  private var panel: Screen?

  nonisolated init(_ panel: Screen) { self.panel = panel }

  isolated deinit {
    Task { [panel] in
      await Task.yield()
      panel?.close()
    }
  }
}

/// An object that Foundation's containers hold and give back.
private final class Thing: NSObject {}

// What is no leak, and must be silent. The rest of the list is where the code is that might tell it
// for one:
//
// - reassignment: `D 0.o: reassignment is no leak in the graced form`, GracedValidationTests
// - validated twice: `D 0.n: an object that is validated twice counts once`, MemoryLeakMonitorTests
// - late release: `4.3 what dies late is none, and waiting ends with it`, LeakCheckTestCaseTests;
//   `2.6 …`, TrackingInTestCaseTests
// - long-lived: `long-lived: an instance that stays with the program, beside its successors`,
//   LeakStateTests
// - shared objects: `4.7 objects that are shared are not the test's`, LeakCheckTestCaseTests
// - constants: `4.5 constants are left out, and what they held is not`, LeakCheckTestCaseTests
// - lazy properties: `4.6 a lazy property that was touched is neither missing nor leaked`,
//   LeakCheckTestCaseTests
// - lazy closures: `2.17 …`, LazyClosureTrapTests
// - failing initialisers: `an instance whose initialiser fails is gone`, `… throws is gone`,
//   MonitorableKindsTests
// - unowned: `2.18 …`, UnownedTrapTests; `4.7 weak and unowned properties are not the test's`,
//   LeakCheckTestCaseTests
// - child tasks, groups: `2.20 …`, StructuredTaskTests
@Suite(.timeLimit(.minutes(10))) struct FalsePositiveTests {
  @Test func `4.3 false positive: what an isolated deinit lets go of is late, and no leak`() async {
    let clock = LeapingClock { number in
      if number == 4 { Stage.executor.run() }
    }
    await clock.run {
      await withLeakScope {
        _ = track(Window(track(Screen())))
      }
    }
    #expect(clock.waited.count == 4)
  }

  @Test func `4.3 false positive: so is what a deinit of the main actor hands to a task`() async {
    await withLeakScope(within: .seconds(600)) {
      // Off the main actor, where the deinit is then sent.
      let scope = LeakScope.current
      await Task.detached {
        await withLeakScope(in: scope) {
          _ = track(MainWindow(track(Screen())))
        }
      }.value
    }
  }

  @Test @MainActor func `4.3 false positive: also for one who waits on the main actor`() async {
    await withLeakScope(within: .seconds(600)) {
      _ = track(MainWindow(track(Screen())))
    }
  }

  @Test func `4.3 false positive: what Foundation gave back is let go of with its pool`() {
    let clock = LeapingClock()
    clock.run {
      withLeakScope {
        let things = NSMutableArray(object: track(Thing()))
        #expect(things.firstObject is Thing)
        #expect((things.copy() as? NSArray)?.lastObject is Thing)
        let named: NSDictionary = ["thing": track(Thing())]
        #expect(named.object(forKey: "thing") is Thing && named.allValues.first is Thing)
        let noted = Notification(name: .init("thing"), object: nil, userInfo: [1: track(Thing())])
        #expect(noted.userInfo?[1] is Thing)
      }
    }
    #expect(clock.waited.isEmpty)
  }

  @Test func `4.3 false positive: an initialiser that fails or throws leaves nothing`() async {
    let clock = LeapingClock()
    await clock.run {
      await withLeakScope {
        #expect(Refusing(fails: true) == nil)
        #expect(throws: CancellationError.self) { try Refusing() }
      }
    }
    #expect(clock.waited.isEmpty)
  }
}

/// Tracks itself before it is known whether it will be.
private final class Refusing {
  private let screen = track(Screen())

  init?(fails: Bool) {
    track(self)
    if fails { return nil }
  }

  init() throws {
    track(self)
    throw CancellationError()
  }
}

/// What a closure has of a variable: by its name the variable itself, by its capture list what the
/// variable was.
@Suite struct CaptureListTests {
  @Test func `2.19 a capture list has the value of then, a name the variable`() {
    var count = 1
    let snapshot = { [count] in count }
    let reference = { count }
    count = 2
    #expect(snapshot() == 1 && reference() == 2)
  }

  @Test func `2.19 of an object a capture list has the reference, not what the object was`() {
    final class Counter { var count = 1 }
    let counter = Counter()
    let snapshot = { [counter] in counter.count }
    counter.count = 2
    #expect(snapshot() == 2)
  }

  @Test func `2.19 a capture list keeps the object of then, when the variable has another`() {
    var screen: Screen? = Screen()
    let old = WeakReference(screen!)
    let snapshot = { [screen] in screen }
    let reference = { screen }
    screen = Screen()
    #expect(old.promote() != nil && snapshot() !== reference())
    #expect(reference() === screen)
  }

  @Test(.noLeaks) func `2.19 by its name the old object is let go, and the new one kept`() {
    var screen: Screen? = track(Screen())
    let old = WeakReference(screen!)
    let reference = { screen }
    screen = track(Screen())
    #expect(old.promote() == nil && reference() != nil)
    screen = nil
    #expect(reference() == nil)
  }

  @Test func `2.19 weak in a capture list is a variable of the closure, which becomes nil`() {
    var screen: Screen? = Screen()
    let seen = { [weak screen] in screen }
    var other = seen()
    #expect(other === screen)
    screen = Screen()
    // The old one lives by `other`; the closure does not follow the variable.
    #expect(seen() === other && seen() !== screen)
    other = nil
    #expect(seen() == nil)
  }

  @Test(.noLeaks) func `2.19 a capture list that names a property does not capture self`() {
    final class Player {
      let screen: Screen
      var onEnd: (() -> Void)?

      init(_ screen: Screen) {
        self.screen = screen
        // `{ self.screen.close() }` would keep the player, which keeps the closure.
        onEnd = { [screen] in screen.close() }
      }
    }
    track(Player(track(Screen()))).onEnd?()
  }
}

/// Runs what is isolated to it when it is told to: for releases that come late for certain.
@globalActor
actor Stage {
  static let shared = Stage()
  static let executor = HeldExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    Self.executor.asUnownedSerialExecutor()
  }
}

/// Keeps its jobs until they are asked for.
final class HeldExecutor: SerialExecutor {
  private let jobs = MutexLock<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.write { $0.append(job) }
  }

  /// Runs what has come; returns how much that was.
  @discardableResult
  func run() -> Int {
    let due = jobs.write { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in due { job.runSynchronously(on: asUnownedSerialExecutor()) }
    return due.count
  }
}
