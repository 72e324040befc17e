import Testing
import WeakCollections

@testable import LeakMonitoring

private final class Page: Sendable {
  init() {
    MemoryLeakMonitor.validate(self, max: 1000)
  }
}

private final class Cache: Sendable {
  init() {
    MemoryLeakMonitor.validate(self, max: 1000)
  }
}

private final class Tab {
  private let lifetime = LifetimeToken(of: Tab.self, max: nil)
}

@MainActor private final class Book {
  var pages: [Page] = []
}

@Suite(.timeLimit(.minutes(10)))
struct GrowthTests {
  private var (monitor, leaks, clock) = makeClockedMonitor()

  @Test func `2.9, D 0.p: repetition finds a leak below max, with its counts and its line`() throws
  {
    try MemoryLeakMonitor.withIsolation(in: monitor) {
      var pages = [Page(), Page()]
      let reports = MemoryLeakMonitor.growth(loops: 3) { pages.append(Page()) }
      let line = UInt(#line - 1)
      let leak = try #require(leaks.all.first)
      #expect(leaks.all.count == 1 && reports.count == 1)
      #expect(leak.state == .leaked && leak.finding == .growth([3, 4, 5, 6]))
      #expect(leak.typeName == "LeakMonitoringTests.Page")
      #expect(leak.site.line == line)
      #expect(
        leak.message == "Page: the number of instances of LeakMonitoringTests.Page grew with each "
          + "repetition: 3, 4, 5, 6")
      withExtendedLifetime(pages) {}
    }
  }

  @Test func `objects that are released, or created only sometimes, are no growth`() {
    MemoryLeakMonitor.withIsolation(in: monitor) {
      var cache: Cache?
      var pages: [Page] = []
      var round = 0
      let reports = MemoryLeakMonitor.growth(loops: 4) {
        withExtendedLifetime((Page(), Page())) {}
        if cache == nil { cache = Cache() }
        round += 1
        if round.isMultiple(of: 2) { pages.append(Page()) }
      }
      #expect(reports.isEmpty && leaks.all.isEmpty)
      withExtendedLifetime((cache, pages)) {}
    }
  }

  @Test func `the growth of classes with tokens is reported, and they have live counts`() {
    MemoryLeakMonitor.withIsolation(in: monitor) {
      var tabs: [Tab] = []
      MemoryLeakMonitor.growth(loops: 3) { tabs.append(Tab()) }
      #expect(leaks.all.map(\.finding) == [.growth([1, 2, 3, 4])])
      #expect(monitor.liveCounts == ["LeakMonitoringTests.Tab": 4])
      withExtendedLifetime(tabs) {}
    }
  }

  @Test func `every class that grows is reported, sorted by name`() {
    MemoryLeakMonitor.withIsolation(in: monitor) {
      var kept: [AnyObject] = []
      let reports = MemoryLeakMonitor.growth(loops: 2) { kept += [Page(), Cache()] as [AnyObject] }
      #expect(reports.map(\.description) == ["Cache", "Page"])
      withExtendedLifetime(kept) {}
    }
  }

  @Test func `an error ends the scenario and is rethrown`() {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try MemoryLeakMonitor.growth { throw Refusal() }
    }
  }

  @Test func `allowed growth is reported as such`() {
    monitor.allowLeaks(of: Page.self, upTo: 3)
    MemoryLeakMonitor.withIsolation(in: monitor) {
      var pages: [Page] = []
      MemoryLeakMonitor.growth(loops: 3) { pages.append(Page()) }
      #expect(leaks.all.map(\.state) == [.allowed])
      withExtendedLifetime(pages) {}
    }
  }

  @Test func `long-lived objects do not hide growth and do not count as growth`() {
    MemoryLeakMonitor.withIsolation(in: monitor) {
      var pages = (0..<10).map { _ in Page() }
      for page in pages { monitor.markLongLived(page) }
      MemoryLeakMonitor.growth(loops: 3) { pages.append(Page()) }
      #expect(leaks.all.map(\.state) == [.leaked])
      #expect(leaks.all.map(\.finding) == [.growth([1, 2, 3, 4])])
      let reports = MemoryLeakMonitor.growth(loops: 3) {
        pages.append(Page())
        monitor.markLongLived(pages.last!)
      }
      #expect(reports.isEmpty)
      withExtendedLifetime(pages) {}
    }
  }

  @Test @MainActor func `growth of a scenario that suspends is reported after a grace period`()
    async
  {
    let book = Book()
    await MemoryLeakMonitor.withIsolation(in: monitor) {
      async let ticks: Void = clock.tick(20)
      let reports = await MemoryLeakMonitor.growth(loops: 3, grace: .zero) {
        await Task.yield()
        book.pages.append(Page())
      }
      #expect(reports.map(\.finding) == [.growth([1, 2, 3, 4])])
      await ticks
    }
    #expect(leaks.all.count == 1)
  }

  @Test @MainActor func `objects that are deallocated during the grace period are no growth`() async
  {
    let book = Book()
    await MemoryLeakMonitor.withIsolation(in: monitor) {
      async let release: Void = releaseLater(book)
      let reports = await MemoryLeakMonitor.growth(loops: 3) {
        await Task.yield()
        book.pages.append(Page())
      }
      #expect(reports.isEmpty)
      await release
    }
    #expect(leaks.all.isEmpty)
  }

  @Test @MainActor func `a cancelled task reports no growth`() async {
    let book = Book()
    await MemoryLeakMonitor.withIsolation(in: monitor) {
      let task = Task {
        await MemoryLeakMonitor.growth(loops: 3) {
          await Task.yield()
          book.pages.append(Page())
        }
      }
      await clock.tick(10)
      await clock.rest()
      task.cancel()
      #expect(await task.value.isEmpty)
    }
    #expect(leaks.all.isEmpty && book.pages.count == 4)
  }

  @MainActor private func releaseLater(_ book: Book) async {
    await clock.tick(10)
    await clock.rest()
    book.pages.removeLast()
    await clock.tick()
  }

  @Test func `a disabled monitor runs the scenario and finds nothing`() async {
    await #expect(processExitsWith: .success) {
      MemoryLeakMonitor.isEnabled = false
      var pages: [Page] = []
      let reports = MemoryLeakMonitor.growth(loops: 3) { pages.append(Page()) }
      #expect(reports.isEmpty && pages.count == 4)
    }
  }
}

struct GrowthSeriesTests {
  @Test func `a class that is missing from a repetition has no instances in it`() {
    var series = GrowthSeries()
    series.append([])
    series.append([(Page.self, 1), (Cache.self, 5)])
    series.append([(Page.self, 2)])
    #expect(series.growing.map(\.counts) == [[0, 1, 2]])
  }

  @Test(arguments: [[1, 1, 2], [1, 2, 2], [1, 3, 2], [3, 2, 1], [0, 0, 0]])
  func `a class grows only if every repetition raises its count`(_ counts: [Int]) {
    var series = GrowthSeries()
    for count in counts { series.append([(Page.self, count)]) }
    #expect(series.growing.isEmpty)
  }
}
