#if canImport(XCTest) && !canImport(Darwin)
  import Dispatch
  import LeakTesting
  import Testing
  import WeakCollections
  import XCTest

  /// A plain test case. It has no test methods for XCTest to run.
  private final class PlainFixture: XCTestCase {
    var screen: Screen?
    var onTearDown: () -> Void = {}

    override func tearDown() { onTearDown() }
  }

  /// A test case that records on which queue its properties are read.
  private final class ReflectedFixture: XCTestCase, CustomReflectable {
    static let isMain = DispatchSpecificKey<Bool>()
    static let wasReadOnMain = MutexLock([Bool]())

    var screen: Screen?

    var customMirror: Mirror {
      Self.wasReadOnMain.write { $0.append(DispatchQueue.getSpecific(key: Self.isMain) == true) }
      return Mirror(self, children: ["screen": screen as Any])
    }
  }

  extension SerialFixtureTests {
    @Suite struct TrackingInTestCaseTests {
      private let cycles = Cycles()

      @Test func `2.6 a survivor fails at the caller's line`() async {
        let line = #line + 2
        let found = await failures(of: PlainFixture.self) { [cycles] fixture in
          fixture.trackForMemoryLeaks(cycles.make())
          fixture.trackForMemoryLeaks(Screen())
        }
        #expect(found.map(\.line) == [UInt(line)])
        #expect(found.first?.message.hasPrefix("Screen: an instance of") == true)
      }

      @Test func `2.6 track finds the running test case`() async {
        let line = #line + 2
        let found = await failures(of: PlainFixture.self) { [cycles] _ in
          track(cycles.make())
        }
        #expect(found.map(\.line) == [UInt(line)])
      }

      @Test func `2.6 a late deallocation is no leak, and ends the wait`() async {
        let clock = LeapingClock { [cycles] number in
          if number == 4 { cycles.breakCycles() }
        }
        let found = await failures(of: PlainFixture.self, clock: clock) { [cycles] fixture in
          fixture.trackForMemoryLeaks(cycles.make())
        }
        #expect(found.isEmpty && clock.waited.count == 4)
      }

      @Test func `2.6 an object that is tracked after the end of the test has its own message`()
        async
      {
        let line = #line + 2
        let found = await failures(of: PlainFixture.self) { fixture in
          fixture.onTearDown = { track(Screen()) }
        }
        #expect(found.map(\.line) == [UInt(line)])
        #expect(found.first?.message.contains("after its scope had ended") == true)
      }

      @Test func `2.6 an object that a property still holds has its own message`() async {
        let found = await failures(of: PlainFixture.self) { fixture in
          fixture.screen = fixture.trackForMemoryLeaks(Screen())
        }
        #expect(found.count == 1)
        #expect(found.first?.message.contains("the property `screen` of the test still") == true)
      }

      @Test func `2.6 properties are read on the main actor, which may still change them`() async {
        DispatchQueue.main.setSpecific(key: ReflectedFixture.isMain, value: true)
        let found = await failures(of: ReflectedFixture.self) { fixture in
          fixture.screen = fixture.trackForMemoryLeaks(Screen())
        }
        #expect(found.count == 1)
        let places = ReflectedFixture.wasReadOnMain.read { copy $0 }
        #expect(!places.isEmpty && places.allSatisfy { $0 })
      }
    }
  }
#endif
