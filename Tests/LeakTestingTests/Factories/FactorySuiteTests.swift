import LeakMonitoring
import Testing
import WeakCollections

@testable import LeakTesting

private final class Model {}

private class Page {
  let model = Model()
  private(set) var isClosed = false

  func close() { isClosed = true }
}

private final class ListPage: Page {}
private final class TopPage: Page {}

@MainActor
private final class MainPage {
  var isClosed = false
}

private actor Session {
  private var kept: Session?
  func open() { kept = self }
  func close() { kept = nil }
}

@Suite(.timeLimit(.minutes(10)))
struct FactorySuiteTests {
  private let failures = RecordedFailures()
  private let clock = LeapingClock()

  @Test func `1.6 an object that is closed and deallocated is no leak, and is not waited for`()
    async
  {
    let closed = MutexLock(false)
    var suite = FactorySuite()
    suite.register(Page.self) { product in
      let page = Page()
      product.root(page)
      product.dependant(page.model, named: "model")
      page.close()
      closed.write { $0 = page.isClosed }
    }
    #expect(await suite.survivors(clock, failures) == [])
    #expect(closed.read { $0 } && failures.all.isEmpty && clock.waited.isEmpty)
  }

  @Test func `1.6 the surviving object is named, at the line of its factory`() async {
    let kept = Kept()
    var suite = FactorySuite()
    let line: UInt = #line + 1
    suite.register(Page.self) { kept.keepModel(of: Page(), $0) }
    #expect(await suite.survivors(clock, failures) == ["Page.model"])
    let message =
      "Page.model: an instance of LeakTestingTests.Model is alive, expected to be gone "
      + "within 1.0 seconds"
    #expect(failures.all.map(\.line) == [line])
    #expect(failures.all.first?.message.hasPrefix(message) == true)
    kept.model = nil
  }

  @Test func `1.6 a late deallocation is no leak, and ends the wait`() async {
    let kept = Kept()
    let clock = LeapingClock { number in
      if number == 4 { kept.model = nil }
    }
    var suite = FactorySuite()
    suite.register(Page.self) { kept.keepModel(of: Page(), $0) }
    #expect(await suite.survivors(clock, failures) == [])
    #expect(failures.all.isEmpty && clock.waited.count == 4)
  }

  @Test func `1.6 a survivor fails the test, whatever the monitor's reporter`() async {
    let kept = Kept()
    var suite = FactorySuite()
    suite.register(Page.self) { kept.keepModel(of: Page(), $0) }
    let monitor = MemoryLeakMonitor()
    monitor.reporter = CombinedLeakReporter([])
    let names = await MemoryLeakMonitor.withIsolation(in: monitor) {
      await suite.survivors(clock, failures)
    }
    #expect(names == ["Page.model"] && failures.all.count == 1)
    kept.model = nil
  }

  @Test func `1.6 factories can create and close actors and objects of the main actor`() async {
    var suite = FactorySuite()
    suite.register(MainPage.self) { @MainActor product in
      let page = MainPage()
      product.root(page)
      page.isClosed = true
    }
    suite.register(Session.self) { product in
      let session = Session()
      await session.open()
      product.root(session)
      await session.close()
    }
    #expect(await suite.check() == [])
    #expect(suite.factories.map(\.description).last == "LeakTestingTests.Session")
  }

  @Test func `1.7 a factory that makes an object of another class, or none, throws an error`() async
  {
    let suite = Self.brokenSuite
    await #expect(
      throws: FactoryError.otherRoot(
        "LeakTestingTests.ListPage", expected: "LeakTestingTests.Page")
    ) { try await suite.factories[0].check() }
    await #expect(throws: FactoryError.noRoot("LeakTestingTests.ListPage")) {
      try await suite.factories[1].check()
    }
  }

  @Test func `1.9 a factory that throws is a failure with its name, and the others are checked`()
    async
  {
    struct Refusal: Error {}
    let kept = Kept()
    var suite = Self.brokenSuite
    suite.register(Session.self) { _ in throw Refusal() }
    let line: UInt = #line + 1
    suite.register(TopPage.self) { kept.keepModel(of: TopPage(), $0) }
    #expect(await suite.survivors(clock, failures) == ["TopPage.model"])
    #expect(
      failures.all.prefix(3).map(\.message) == [
        "the factory of LeakTestingTests.Page named a root of the class LeakTestingTests.ListPage; "
          + "pass an instance of exactly LeakTestingTests.Page to root(_:)",
        "the factory of LeakTestingTests.ListPage named no root; "
          + "pass the object that it makes to root(_:)",
        "the factory of LeakTestingTests.Session threw Refusal()",
      ])
    #expect(failures.all.count == 4 && failures.all.last?.line == line)
    kept.model = nil
  }

  @Test func `1.7 a suite without factories fails the test at its line`() async {
    let line: UInt = #line + 2
    let survivors = await failures.run {
      await FactorySuite().check()
    }
    #expect(survivors == [])
    #expect(
      failures.all == [
        FixtureFailure(
          message: "the suite has no factories, so nothing was checked; register(_:_:) adds one",
          line: line)
      ])
  }

  @Test(arguments: FactorySuiteTests.suite.factories)
  func `1.9 a suite's factories are arguments of one test`(_ factory: LeakFactory) async throws {
    #expect(try await factory.check() == [])
  }

  private static var suite: FactorySuite {
    var suite = FactorySuite()
    suite.register(Page.self) { product in product.root(Page()) }
    suite.register(ListPage.self) { product in product.root(ListPage()) }
    return suite
  }

  /// A suite with a factory that makes an object of another class, and one that makes none.
  private static var brokenSuite: FactorySuite {
    var suite = FactorySuite()
    suite.register(Page.self) { product in product.root(ListPage()) }
    suite.register(ListPage.self) { _ in }
    return suite
  }
}

// @unchecked: written by the factory, and read when its check is over.
private final class Kept: @unchecked Sendable {
  var model: Model?

  func keepModel(of page: Page, _ product: FactoryProduct) {
    product.root(page)
    product.dependant(page.model, named: "model")
    model = page.model
  }
}

/// Classes that need a factory, in every kind of declaration.
class Document {}

final class Letter: Document {}
private final class Draft: Document {}

/// A class that serves only as a base class.
class Bound: Document {}

extension Bound {
  final class Book: Bound {}
}

final class Form<Content>: Document {}

protocol Printable {}

extension Letter: Printable {}
extension Draft: Printable {}

actor Printer: Printable {}

extension FactorySuite {
  /// Returns the findings of `check` with a clock that does not wait, and collects its failures.
  func survivors(
    _ clock: LeapingClock = LeapingClock(), _ failures: RecordedFailures = RecordedFailures()
  ) async -> [String] {
    await failures.run { await clock.run { await check() } }
  }
}
