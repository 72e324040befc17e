import Foundation
import LeakMonitoring
import Testing
import Threading
import WeakCollections

@testable import LeakTesting

// @unchecked: not final, because it has a subclass; its number never changes.
private class Session: MemoryLeakMonitorable, @unchecked Sendable {
  let number: Int

  init(_ number: Int, _ monitor: MemoryLeakMonitor) {
    self.number = number
    monitor.validate(self)
  }
}

/// A session whose description contains its number.
private final class DescribedSession: Session, @unchecked Sendable {
  var description: String { "session \(number)" }
}

// Leaks that must be reported. Other tests cover the rest of the list, beside the code that could
// miss a leak:
//
// - an overridden description: `0.7, D 0.b: instances with different descriptions count for one
//   class`, MemoryLeakMonitorTests
// - properties of superclasses: `4.7 properties of superclasses count`, LeakCheckTestCaseTests
// - collections of objects: `4.4 containers, tuples, structs and enums are searched`,
//   LeakCheckTestCaseTests
// - weak boxes of optionals: `0.k an optional class traps`, RefusedTypesTests
@Suite(.timeLimit(.minutes(10))) struct FalseNegativeTests {
  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `D 0.d false negative: if two threads use a class first, both instances are counted`(
    _ backend: Backend
  ) async {
    for round in 0..<10 {
      // A new monitor in each round, so that both threads register the class.
      let monitor = MemoryLeakMonitor(backend: backend)
      // The first backtrace of each thread reads the symbols of all tests.
      monitor.sampling = .none
      let liveCounts = MutexLock([Int]())
      monitor.reporter = .closure { leak in liveCounts.write { $0.append(leak.liveCount) } }
      let sessions = await onOwnThreads(2) { Session($0, monitor) }
      #expect(monitor.liveCount(of: Session.self) == 2, "in round \(round)")
      #expect(liveCounts.read { copy $0 } == [2])
      withExtendedLifetime(sessions) {}
    }
  }

  @Test func `0.7 false negative: a subclass's own description hides no instance`() {
    let monitor = MemoryLeakMonitor(backend: .mutex)
    let liveCounts = MutexLock([Int]())
    monitor.reporter = .closure { leak in liveCounts.write { $0.append(leak.liveCount) } }
    let sessions = (1...3).map { DescribedSession($0, monitor) }
    #expect(liveCounts.read { copy $0 } == [2, 3])
    #expect(sessions.map(\.description) == ["session 1", "session 2", "session 3"])
  }
}

/// A window that releases its panel on its actor, whichever thread releases the window.
@available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
@Stage private final class Window {
  private var panel: Screen?

  nonisolated init(_ panel: Screen) { self.panel = panel }

  isolated deinit { panel = nil }
}

/// A window of the main actor, whose `deinit` starts a task that closes the panel later.
@available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
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

/// An object that Foundation's containers hold and return.
private final class Thing: NSObject {}

// Objects that are no leaks, for which nothing may be reported. Other tests cover the rest of the
// list, beside the code that could report them:
//
// - reassignment: `D 0.o: reassignment is no leak in the graced form`, GracedValidationTests
// - validated twice: `D 0.n: an object that is validated twice counts once`, MemoryLeakMonitorTests
// - late release: `4.3 a late deallocation is no leak, and ends the wait`, LeakCheckTestCaseTests;
//   `2.6 …`, TrackingInTestCaseTests
// - long-lived: `long-lived: an instance that lives as long as the program, besides later
//   instances`, LeakStateTests
// - shared objects: `4.7 objects that are shared do not belong to the test`, LeakCheckTestCaseTests
// - constants: `4.5 constants are not checked, but objects that they held are`,
//   LeakCheckTestCaseTests
// - lazy properties: `4.6 a lazy property that was read is neither missing nor leaked`,
//   LeakCheckTestCaseTests
// - lazy closures: `2.17 …`, LazyClosureTrapTests
// - failing initializers: `an instance whose initializer fails is deallocated and not counted`,
//   `an instance whose initializer throws is deallocated and not counted`, MonitorableKindsTests
// - unowned: `2.18 …`, UnownedTrapTests; `4.7 weak and unowned properties do not belong to the
//   test`, LeakCheckTestCaseTests
// - child tasks, groups: `2.20 …`, StructuredTaskTests
@Suite(.timeLimit(.minutes(10))) struct FalsePositiveTests {
  @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
  @Test func `4.3 false positive: an object that an isolated deinit releases is late, and no leak`()
    async
  {
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

  @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
  @Test func `4.3 false positive: an object that a main-actor deinit passes to a task is no leak`()
    async
  {
    await withLeakScope(within: .seconds(600)) {
      // Runs off the main actor, so that the deinit is sent there.
      let scope = LeakScope.current
      await Task.detached {
        await withLeakScope(in: scope) {
          _ = track(MainWindow(track(Screen())))
        }
      }.value
    }
  }

  @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
  @Test @MainActor
  func `4.3 false positive: waiting on the main actor lets a main-actor deinit run`() async {
    await withLeakScope(within: .seconds(600)) {
      _ = track(MainWindow(track(Screen())))
    }
  }

  @Test func `4.3 false positive: objects that Foundation returned are released with their pool`() {
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

  @Test func `4.3 false positive: an initializer that fails or throws leaves no object`() async {
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

/// An object that tracks itself before its initializer fails.
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

/// The meaning of a variable in a closure: used by name, it is the variable itself; in the capture
/// list, it is the value that the variable had.
@Suite struct CaptureListTests {
  @Test func `2.19 a capture list copies the value, a name refers to the variable`() {
    var count = 1
    let snapshot = { [count] in count }
    let reference = { count }
    count = 2
    #expect(snapshot() == 1 && reference() == 2)
  }

  @Test func `2.19 a capture list copies the reference to an object, not its state`() {
    final class Counter { var count = 1 }
    let counter = Counter()
    let snapshot = { [counter] in counter.count }
    counter.count = 2
    #expect(snapshot() == 2)
  }

  @Test func `2.19 a capture list retains the old object after the variable has changed`() {
    var screen: Screen? = Screen()
    let old = WeakReference(screen!)
    let snapshot = { [screen] in screen }
    let reference = { screen }
    screen = Screen()
    #expect(old.promote() != nil && snapshot() !== reference())
    #expect(reference() === screen)
  }

  @Test(.noLeaks)
  func `2.19 a closure that uses the name retains only the new object`() {
    var screen: Screen? = track(Screen())
    let old = WeakReference(screen!)
    let reference = { screen }
    screen = track(Screen())
    #expect(old.promote() == nil && reference() != nil)
    screen = nil
    #expect(reference() == nil)
  }

  @Test func `2.19 a weak capture is a variable of the closure, which becomes nil`() {
    var screen: Screen? = Screen()
    let seen = { [weak screen] in screen }
    var other = seen()
    #expect(other === screen)
    screen = Screen()
    // `other` retains the old screen; the closure does not follow the variable.
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
        // `{ self.screen.close() }` would retain the player, which retains the closure.
        onEnd = { [screen] in screen.close() }
      }
    }
    track(Player(track(Screen()))).onEnd?()
  }
}

/// An actor that runs its jobs only on request, so that releases on it are certainly late.
@globalActor
actor Stage {
  static let shared = Stage()
  static let executor = HeldExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    Self.executor.asUnownedSerialExecutor()
  }
}

/// An executor that stores its jobs until `run()`.
final class HeldExecutor: SerialExecutor {
  private let jobs = MutexLock<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.write { $0.append(job) }
  }

  /// Runs the stored jobs; returns their number.
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
