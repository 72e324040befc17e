import Foundation
import LeakMonitoring
import Testing
import WeakCollections

@testable import LeakTesting

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

// What is no leak, and must be silent. The rest of the list is where the code is that might tell it for one:
//
// | false positive | test |
// |---|---|
// | reassignment | `D 0.o: reassignment is no leak in the graced form`, GracedValidationTests |
// | validated twice | `D 0.n: an object that is validated twice counts once`, MemoryLeakMonitorTests |
// | late release | `4.3 what dies late is none, and waiting ends with it`, LeakCheckTestCaseTests; `2.6 …`, TrackingInTestCaseTests |
// | long-lived | `long-lived: an instance that stays with the program, beside its successors`, LeakStateTests |
// | shared objects | `4.7 objects that are shared are not the test's`, LeakCheckTestCaseTests |
// | constants | `4.5 constants are left out, and what they held is not`, LeakCheckTestCaseTests |
// | lazy properties | `4.6 a lazy property that was touched is neither missing nor leaked`, LeakCheckTestCaseTests |
// | lazy closures | `2.17 …`, LazyClosureTrapTests |
// | failing initialisers | `an instance whose initialiser fails is gone`, `… throws is gone`, MonitorableKindsTests |
// | unowned | `2.18 …`, UnownedTrapTests; `4.7 weak and unowned properties are not the test's`, LeakCheckTestCaseTests |
// | child tasks, groups | `2.20 …`, StructuredTaskTests |
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
