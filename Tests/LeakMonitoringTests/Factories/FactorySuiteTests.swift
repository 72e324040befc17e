import LeakMonitoring
import LeakTesting
import Testing
import WeakCollections

private class Model {
  var onChange: (() -> Void)?
  weak var weakDelegate: Screen?
  var strongDelegate: Screen?
}

private class Screen {
  let model = Model()
  private(set) var isClosed = false

  func close() { isClosed = true }
}

private final class ListScreen: Screen {}

@MainActor
private final class MainScreen {
  var isClosed = false
}

private actor Session {
  private var kept: Session?
  func open() { kept = self }
  func close() { kept = nil }
}

/// The language's own example of a cycle.
private final class Person {
  var apartment: Apartment?
}

private final class Apartment {
  var tenant: Person?
}

@Suite(.timeLimit(.minutes(10)))
struct FactorySuiteTests {
  private var (monitor, leaks, clock) = makeClockedMonitor()

  @Test func `1.6 what is closed and gone is no leak, and not waited for`() async throws {
    let closed = MutexLock(false)
    var suite = FactorySuite()
    suite.register(Screen.self) { product in
      let screen = Screen()
      product.root(screen)
      product.dependant(screen.model, named: "model")
      screen.close()
      closed.write { $0 = screen.isClosed }
    }
    // The clock stands still, so that nobody can wait for it.
    #expect(try await survivors(in: suite) == [])
    #expect(closed.read { $0 } && leaks.all.isEmpty)
  }

  @Test func `1.6 the one of the two that survives is named, at its factory`() async throws {
    let kept = Kept()
    var suite = FactorySuite()
    let line: UInt = #line + 1
    suite.register(Screen.self) { product in
      let screen = Screen()
      product.root(screen)
      product.dependant(screen.model, named: "model")
      kept.model = screen.model
    }
    #expect(try await survivors(in: suite, ticking: 20) == ["Screen.model"])
    #expect(leaks.all.map(\.description) == ["Screen.model"])
    #expect(leaks.all.map(\.typeName) == ["LeakMonitoringTests.Model"])
    #expect(leaks.all.map(\.finding) == [.survivor(after: .seconds(1))])
    #expect(leaks.all.map(\.site.line) == [line])
    kept.model = nil
  }

  @Test func `1.8 a closure's cycle is caught, and what it captures weakly is none`() async throws {
    let cycles = Cycles()
    var suite = FactorySuite()
    suite.register(Screen.self) { product in
      let screen = Screen()
      screen.model.onChange = { screen.close() }
      product.root(screen)
      product.dependant(screen.model, named: "model")
      cycles.add(screen.model) { $0.onChange = nil }
    }
    suite.register(ListScreen.self) { product in
      let screen = ListScreen()
      screen.model.onChange = { [weak screen] in screen?.close() }
      product.root(screen)
    }
    #expect(
      try await survivors(in: suite, ticking: 20, sleepers: 2) == ["Screen", "Screen.model"])
    cycles.break()
  }

  @Test func `1.8 a strong delegate's cycle is caught, and a weak one's is none`() async throws {
    let cycles = Cycles()
    var suite = FactorySuite()
    suite.register(Screen.self) { product in
      let screen = Screen()
      screen.model.strongDelegate = screen
      product.root(screen)
      cycles.add(screen.model) { $0.strongDelegate = nil }
    }
    suite.register(ListScreen.self) { product in
      let screen = ListScreen()
      screen.model.weakDelegate = screen
      product.root(screen)
    }
    #expect(try await survivors(in: suite, ticking: 20) == ["Screen"])
    cycles.break()
  }

  @Test func `1.8 the person and the apartment are both caught`() async throws {
    let cycles = Cycles()
    var suite = FactorySuite()
    suite.register(Person.self) { product in
      let (john, apartment) = (Person(), Apartment())
      (john.apartment, apartment.tenant) = (apartment, john)
      product.root(john)
      product.dependant(apartment, named: "apartment")
      cycles.add(john) { $0.apartment = nil }
    }
    #expect(
      try await survivors(in: suite, ticking: 20, sleepers: 2) == ["Person", "Person.apartment"])
    cycles.break()
  }

  @Test func `1.6 objects of the main actor and actors are made and closed where they live`()
    async throws
  {
    var suite = FactorySuite()
    suite.register(MainScreen.self) { @MainActor product in
      let screen = MainScreen()
      product.root(screen)
      screen.isClosed = true
    }
    suite.register(Session.self) { product in
      let session = Session()
      await session.open()
      product.root(session)
      await session.close()
    }
    #expect(try await suite.check() == [])
    #expect(suite.factories.map(\.description).last == "LeakMonitoringTests.Session")
  }

  @Test func `1.7 missing and stale factories are both named, though their number is right`() {
    var suite = FactorySuite()
    suite.register(Screen.self) { _ in }
    suite.register(Person.self) { _ in }
    #expect(suite.coverage(of: [Person.self, Screen.self]) == .complete)
    let coverage = suite.coverage(of: [Screen.self, ListScreen.self, ListScreen.self])
    #expect(coverage.missing == ["LeakMonitoringTests.ListScreen"])
    #expect(coverage.stale == ["LeakMonitoringTests.Person"])
    #expect(
      "\(coverage)" == "no factory for LeakMonitoringTests.ListScreen; "
        + "a factory too many, for LeakMonitoringTests.Person")
    #expect("\(FactoryCoverage.complete)" == "complete")
  }

  @Test func `1.7 a factory that makes another class, or nothing, is told`() async {
    var suite = FactorySuite()
    suite.register(Screen.self) { product in product.root(ListScreen()) }
    suite.register(ListScreen.self) { _ in }
    await #expect(
      throws: FactoryError.otherRoot(
        "LeakMonitoringTests.ListScreen", expected: "LeakMonitoringTests.Screen")
    ) { try await suite.factories[0].check() }
    await #expect(throws: FactoryError.noRoot("LeakMonitoringTests.ListScreen")) {
      try await suite.factories[1].check()
    }
  }

  @Test func `a second factory for a class, and a second root, trap`() async {
    await #expect(processExitsWith: .failure) {
      var suite = FactorySuite()
      suite.register(Screen.self) { _ in }
      suite.register(Screen.self) { _ in }
    }
    await #expect(processExitsWith: .failure) {
      var suite = FactorySuite()
      suite.register(Screen.self) { product in
        product.root(Screen())
        product.root(Screen())
      }
      try await suite.check()
    }
  }

  @Test(arguments: FactorySuiteTests.suite.factories)
  func `1.9 a suite's factories are arguments of one test`(_ factory: LeakFactory) async throws {
    #expect(try await factory.check() == [])
  }

  private static var suite: FactorySuite {
    var suite = FactorySuite()
    suite.register(Screen.self) { product in product.root(Screen()) }
    suite.register(ListScreen.self) { product in product.root(ListScreen()) }
    return suite
  }

  /// Those that live when the clock was moved so often, while so many checks wait.
  private func survivors(
    in suite: FactorySuite, ticking ticks: Int = 0, sleepers: Int = 1
  ) async throws -> [String] {
    try await MemoryLeakMonitor.withIsolation(in: monitor) {
      async let names = suite.check()
      await clock.tick(ticks, sleepers: sleepers)
      return try await names
    }
  }
}

// @unchecked: written by the factory, and read when its check is over.
private final class Kept: @unchecked Sendable {
  var model: Model?
}

/// How to break the cycles of a test, so that they do not stay behind.
private final class Cycles: Sendable {
  private let breaks = MutexLock<[@Sendable () -> Void]>([])

  func add<Object: AnyObject>(
    _ object: Object, _ body: @escaping @Sendable (Object) -> Void
  ) {
    nonisolated(unsafe) let reference = WeakReference(object)  // Used after the check is over.
    breaks.write { $0.append { reference.promote().map(body) } }
  }

  func `break`() { breaks.read { copy $0 }.forEach { $0() } }
}
