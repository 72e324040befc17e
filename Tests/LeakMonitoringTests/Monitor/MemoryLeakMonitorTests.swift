import LeakMonitoring
import Testing
import WeakCollections

/// The backends that a monitor supports.
private let backends = Backend.allCases.filter(\.isSynchronous)

private class Session: MemoryLeakMonitorable {
  var max: Int { 1 }

  init(_ monitor: MemoryLeakMonitor) {
    monitor.validate(self)
  }
}

private class TwiceValidated: Session {
  override init(_ monitor: MemoryLeakMonitor) {
    super.init(monitor)
    monitor.validate(self)
  }
}

private final class Plain: MemoryLeakMonitorable {}

private final class Pool: MemoryLeakMonitorable {
  let max: Int

  init(_ monitor: MemoryLeakMonitor, max: Int) {
    self.max = max
    monitor.validate(self)
  }
}

private final class Numbered: MemoryLeakMonitorable {
  let number: Int
  var description: String { "number \(number)" }

  init(_ number: Int, _ monitor: MemoryLeakMonitor) {
    self.number = number
    monitor.validate(self)
  }
}

/// An object that calls its monitor from everything that the monitor calls, and from its `deinit`.
private final class Inquisitive: MemoryLeakMonitorable {
  let monitor: MemoryLeakMonitor
  var max: Int { 1 + monitor.liveCount(of: Inquisitive.self) * 0 }
  var description: String { "one of \(monitor.liveCount(of: Inquisitive.self))" }

  init(_ monitor: MemoryLeakMonitor) {
    self.monitor = monitor
    monitor.validate(self)
  }

  deinit {
    monitor.validate(Plain())
  }
}

struct MemoryLeakMonitorTests {
  @Test(arguments: backends)
  func `0.8: more live instances than allowed are reported with their number`(
    _ backend: Backend
  ) throws {
    let (monitor, leaks) = monitor(backend)
    let sessions = (0..<3).map { _ in Session(monitor) }
    withExtendedLifetime(sessions) {
      #expect(leaks.all.map(\.liveCount) == [2, 3])
    }
    let leak = try #require(leaks.all.first)
    #expect(leak.max == 1)
    #expect(leak.typeName == "LeakMonitoringTests.Session")
    #expect("\(leak.site.fileID)" == "LeakMonitoringTests/MemoryLeakMonitorTests.swift")
    #expect(leak.site.line == 12)
  }

  @Test(arguments: backends)
  func `0.7, D 0.a: the description is the dynamic class's name unless overridden`(
    _ backend: Backend
  ) {
    let (monitor, leaks) = monitor(backend)
    let objects = [Session(monitor), Session(monitor), TwiceValidated(monitor)]
    withExtendedLifetime((objects, Numbered(1, monitor), Numbered(2, monitor))) {
      #expect(leaks.all.map(\.description) == ["Session", "number 2"])
    }
    #expect(objects[2].description == "TwiceValidated")
  }

  @Test(arguments: backends)
  func `0.7, D 0.b: instances with different descriptions count for one class`(
    _ backend: Backend
  ) {
    let (monitor, leaks) = monitor(backend)
    withExtendedLifetime((Numbered(1, monitor), Numbered(2, monitor))) {
      #expect(leaks.all.map(\.liveCount) == [2])
    }
  }

  @Test(arguments: backends)
  func `0.7: each subclass has its own count`(_ backend: Backend) {
    let (monitor, leaks) = monitor(backend)
    withExtendedLifetime((Session(monitor), TwiceValidated(monitor))) {
      #expect(monitor.liveCount(of: Session.self) == 1)
      #expect(leaks.all.isEmpty)
    }
  }

  @Test(arguments: backends)
  func `D 0.n: an object that is validated twice counts once`(_ backend: Backend) {
    let (monitor, leaks) = monitor(backend)
    withExtendedLifetime(TwiceValidated(monitor)) {
      #expect(monitor.liveCount(of: TwiceValidated.self) == 1)
      #expect(leaks.all.isEmpty)
    }
  }

  @Test(arguments: backends)
  func `released instances are not counted`(_ backend: Backend) {
    let (monitor, leaks) = monitor(backend)
    for _ in 0..<1000 { _ = Session(monitor) }
    var pools = (0..<10).map { _ in Pool(monitor, max: 10) }
    #expect(monitor.liveCount(of: Pool.self) == 10)
    pools.removeLast(7)
    #expect(monitor.liveCount(of: Pool.self) == 3)
    pools.append(Pool(monitor, max: 4))
    #expect(leaks.all.isEmpty)
    pools.append(Pool(monitor, max: 4))
    #expect(leaks.all.map(\.liveCount) == [5])
  }

  @Test(arguments: backends)
  func `an instance of a class that allows none is reported immediately`(_ backend: Backend) {
    let (monitor, leaks) = monitor(backend)
    withExtendedLifetime(Pool(monitor, max: 0)) {
      #expect(leaks.all.map(\.liveCount) == [1])
    }
  }

  @Test(arguments: backends)
  func `a monitor calls no other code while it holds its lock`(_ backend: Backend) {
    let monitor = MemoryLeakMonitor(backend: backend)
    let leaks = CollectedLeaks()
    monitor.reporter = .closure { [unowned monitor] leak in
      leaks.report(leak)
      withExtendedLifetime(Session(monitor)) {}
    }
    withExtendedLifetime((Inquisitive(monitor), Inquisitive(monitor))) {
      #expect(leaks.all.map(\.description) == ["one of 2"])
    }
    #expect(monitor.liveCount(of: Inquisitive.self) == 0)
  }

  @Test(arguments: backends)
  func `a replaced reporter receives no more reports`(_ backend: Backend) {
    let (monitor, first) = monitor(backend)
    let second = CollectedLeaks()
    let original = Session(monitor)
    withExtendedLifetime(original) { _ = Session(monitor) }
    monitor.reporter = second
    withExtendedLifetime(original) { _ = Session(monitor) }
    monitor.reporter = first
    withExtendedLifetime(original) { _ = Session(monitor) }
    #expect(first.all.count == 2)
    #expect(second.all.count == 1)
  }

  @Test func `each monitor has its own counts`() {
    let (one, leaks) = monitor(.mutex)
    let (other, otherLeaks) = monitor(.mutex)
    withExtendedLifetime((Session(one), Session(other))) {
      #expect(leaks.all.isEmpty && otherLeaks.all.isEmpty)
    }
  }

  private func monitor(_ backend: Backend) -> (MemoryLeakMonitor, CollectedLeaks) {
    let monitor = MemoryLeakMonitor(backend: backend)
    let leaks = CollectedLeaks()
    monitor.reporter = leaks
    return (monitor, leaks)
  }
}
