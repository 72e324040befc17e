#if canImport(XCTest) && !canImport(Darwin)
  import RuntimeInspection
  import Testing
  import Threading
  import WeakCollections
  import XCTest

  @testable import LeakTesting

  private func missing(
    _ property: String, _ what: String = "an instance of LeakTestingTests.Screen"
  )
    -> [FixtureFailure]
  {
    [
      FixtureFailure(
        message: "`\(property)` still holds \(what): missing from tearDown or potential leak")
    ]
  }

  private func leaked(_ property: String) -> [FixtureFailure] {
    [
      FixtureFailure(
        message: "potential memory leak: `\(property)` held an instance of "
          + "LeakTestingTests.Screen, which is alive, expected to be gone within 1.0 seconds "
          + "after tearDown")
    ]
  }

  /// A test case that inherits its test methods.
  private final class InheritingFixture: FailingFixture {}

  /// Serialized, because XCTest has one running test.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct SerialFixtureTests {}

  extension SerialFixtureTests {
    @Suite struct LeakCheckTestCaseTests {
      private let cycles = Cycles()

      @Test func `4.1 a property that is not reset is reported by name as missing from tearDown`()
        async
      {
        #expect(await failures(of: Fixture.self) { $0.screen = Screen() } == missing("screen"))
      }

      @Test func `4.1 a closure that is not reset is reported as missing from tearDown`() async {
        #expect(
          await failures(of: Fixture.self) { $0.closure = {} } == missing("closure", "a closure"))
      }

      @Test(.enabled(if: RetainSearch.capability == .available))
      func `4.3 a test case can show the paths of objects that it held or tracked`()
        async
      {
        let found = await failures(of: PathFixture.self) { [cycles] fixture in
          fixture.screen = cycles.make()
          fixture.trackForMemoryLeaks(cycles.make())
        }
        #expect(found.count == 2)
        #expect(
          found.allSatisfy { $0.message.contains(".kept -> LeakTestingTests.Screen") })
      }

      @Test(.enabled(if: RetainSearch.capability == .available))
      func `the first five of many survivors of a test case are searched for`() async {
        let found = await failures(of: PathFixture.self) { [cycles] fixture in
          fixture.screen = cycles.make()
          for _ in 0..<6 { fixture.trackForMemoryLeaks(cycles.make()) }
        }
        #expect(
          found.map { $0.message.contains(".kept -> LeakTestingTests.Screen") }
            == (1...7).map { $0 <= 5 })
      }

      @Test func `4.3 an object that tearDown releases and that survives is a potential leak`()
        async
      {
        let found = await failures(of: Fixture.self) { [cycles] fixture in
          fixture.screen = cycles.make()
          fixture.onTearDown = { $0.screen = nil }
        }
        #expect(found == leaked("screen"))
      }

      @Test func `4.3 an object that is deallocated after tearDown is no leak`() async {
        let clock = LeapingClock()
        let found = await failures(of: Fixture.self, clock: clock) { fixture in
          fixture.screen = Screen()
          fixture.onTearDown = { $0.screen = nil }
        }
        #expect(found.isEmpty && clock.waited.isEmpty)
      }

      @Test func `4.3 a late deallocation is no leak, and ends the wait`() async {
        let clock = LeapingClock { [cycles] number in
          if number == 4 { cycles.breakCycles() }
        }
        let found = await failures(of: Fixture.self, clock: clock) { [cycles] fixture in
          fixture.screen = cycles.make()
          fixture.onTearDown = { $0.screen = nil }
        }
        #expect(found.isEmpty && clock.waited.count == 4)
      }

      @Test func `4.3 one test distinguishes missing resets from potential leaks`() async {
        let found = await failures(of: Fixture.self) { [cycles] fixture in
          fixture.screen = cycles.make()
          fixture.other = cycles.make()
          fixture.onTearDown = { $0.screen = nil }
        }
        #expect(found == missing("other") + leaked("screen"))
      }

      @Test func `4.4 values that hold no object are never reported`() async {
        #expect(await failures(of: Fixture.self) { $0.text = "more" }.isEmpty)
      }

      @Test func `4.4 containers, tuples, structs and enums are searched`() async {
        #expect(await failures(of: Fixture.self) { $0.array = [Screen()] } == missing("array"))
        #expect(
          await failures(of: Fixture.self) { $0.dictionary["a"] = .some(Screen()) }
            == missing("dictionary"))
        #expect(await failures(of: Fixture.self) { $0.pair.1 = Screen() } == missing("pair"))
        #expect(
          await failures(of: Fixture.self) { $0.box = Box(screen: Screen()) } == missing("box"))
        #expect(
          await failures(of: Fixture.self) { $0.style = .showing(Screen()) } == missing("style"))
      }

      @Test func `4.4 an object that was in a container and survives is a potential leak`() async {
        let found = await failures(of: Fixture.self) { [cycles] fixture in
          fixture.array = [Screen(), cycles.make()]
          fixture.onTearDown = { $0.array = [] }
        }
        #expect(found == leaked("array"))
      }

      @Test func `4.5 constants are not checked, but objects that they held are`() async {
        let found = await failures(of: Fixture.self) { [cycles] fixture in
          cycles.keep(fixture.constantVariable)
          fixture.constantVariable = Screen()
        }
        #expect(found == leaked("constantVariable"))
      }

      @Test func `4.6 a lazy property that was read is neither missing nor leaked`() async {
        let found = await failures(of: Fixture.self) { fixture in
          withExtendedLifetime(fixture.made) {}
        }
        #expect(found.isEmpty)
      }

      @Test func `4.7 properties of superclasses count`() async {
        #expect(
          await failures(of: Fixture.self) { $0.inherited = Screen() } == missing("inherited"))
      }

      @Test func `4.7 weak and unowned properties do not belong to the test`() async {
        let screen = Screen()
        let found = await failures(of: Fixture.self) { fixture in
          fixture.watched = screen
          fixture.owner = screen
          fixture.box = Box(screen: nil, watched: screen)
        }
        #expect(found.isEmpty)
      }

      @Test func `4.7 an unowned property whose object is deallocated is not read`() async {
        #expect(await failures(of: Fixture.self) { $0.owner = Array([Screen()])[0] }.isEmpty)
      }

      @Test func `4.7 objects that are shared do not belong to the test`() async {
        let found = await failures(of: SharingFixture.self) { fixture in
          fixture.center = .default
          fixture.screen = SharingFixture.shared
          fixture.onTearDown = {
            $0.center = nil
            $0.screen = nil
          }
        }
        #expect(found.isEmpty)
      }

      @Test func `4.7 a test that throws is checked`() async {
        let found = await failures(of: Fixture.self) { fixture in
          fixture.screen = Screen()
          throw XCTSkip("skipped")
        }
        #expect(found == missing("screen"))
      }

      @Test func `4.7 a tracked object fails at the line of track, even if a property held it`()
        async
      {
        let line = #line + 3
        let found = await failures(of: Fixture.self) { [cycles] fixture in
          fixture.onTearDown = { $0.screen = nil }
          fixture.screen = fixture.trackForMemoryLeaks(cycles.make())
          track(Screen())
        }
        #expect(found.map(\.line) == [UInt(line)])
      }

      @Test func `2.6 an object that is tracked with a longer grace period has that period`() async
      {
        let clock = LeapingClock { [cycles] number in
          if number == 30 { cycles.breakCycles() }
        }
        let found = await failures(of: Fixture.self, clock: clock) { [cycles] fixture in
          fixture.trackForMemoryLeaks(cycles.make(), within: .seconds(3600))
        }
        #expect(found.isEmpty && clock.waited.count == 30)
      }

      @Test func `4.4 Foundation's value types and shared objects are not reported`() async {
        let found = await failures(of: SharingFixture.self) { fixture in
          fixture.url = URL(fileURLWithPath: "/")
          fixture.queue = .main
          fixture.path = \String.count
          fixture.bytes = Array(repeating: 7, count: 1000)
        }
        #expect(found == [])
      }

      @Test func `4.7 a leak fails the test of XCTest`() async {
        let failures = await onOwnThread {
          let fixture = FailingFixture(name: "fixture") {
            ($0 as? FailingFixture)?.screen = Screen()
          }
          runOnce(fixture)
          return fixture.failures
        }
        #expect(failures == missing("screen").map(\.message))
      }

      @Test(arguments: [
        ("keepsScreen", FailingFixture.lines.0), ("keepsScreenLater", FailingFixture.lines.1),
      ])
      func `4.7 a failure of XCTest is at the line of the test method`(
        _ method: String, _ line: Int
      ) async {
        for type in [FailingFixture.self, InheritingFixture.self] {
          let places = await onOwnThread {
            let fixture = type.init(name: method) { ($0 as? FailingFixture)?.screen = Screen() }
            runOnce(fixture)
            return fixture.places
          }
          #expect(places.count == 1)
          #expect(places.first?.hasSuffix("XCTest/Fixtures.swift:\(line)") == true, "\(places)")
        }
      }

      @Test func `4.7 a failure of a test without a method of its name has no line`() async {
        let places = await onOwnThread {
          let fixture = FailingFixture(name: "keeps") {
            ($0 as? FailingFixture)?.screen = Screen()
          }
          runOnce(fixture)
          return fixture.places
        }
        #expect(places == ["<unknown>:0"])
      }

      @Test func `a task in a property is not reported`() async {
        #expect(await failures(of: Fixture.self) { $0.task = Task {} }.isEmpty)
      }
    }
  }
#endif
