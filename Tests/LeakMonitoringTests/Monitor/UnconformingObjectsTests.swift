import LeakMonitoring
import Testing
import WeakCollections

private actor Mailer {
  init(_ monitor: MemoryLeakMonitor) {
    monitor.validate(self, max: 1)
  }
}

private final class Session: MemoryLeakMonitorable {
  init(_ monitor: MemoryLeakMonitor) {
    monitor.validate(self)
  }
}

private enum Inner {
  final class Session {}
}

struct UnconformingObjectsTests {
  private let monitor = MemoryLeakMonitor(backend: .lockFree)
  private let leaks = CollectedLeaks()

  init() {
    monitor.reporter = leaks
  }

  @Test func `an actor that does not conform to the protocol is counted`() throws {
    try withExtendedLifetime((Mailer(monitor), Mailer(monitor))) {
      let leak = try #require(leaks.all.first)
      #expect(leaks.all.count == 1)
      #expect(leak.description == "Mailer")
      #expect(leak.typeName == "LeakMonitoringTests.Mailer")
      #expect(leak.liveCount == 2 && leak.max == 1)
      #expect(leak.site.line == 7)
    }
    #expect(monitor.liveCount(of: Mailer.self) == 0)
  }

  @Test func `an object of another module's class is counted where it is created`() {
    // A class of the standard library.
    let buffers = (0..<3).map { _ in
      ManagedBuffer<Int, Int>.create(minimumCapacity: 1) { _ in 0 }
    }
    for buffer in buffers {
      monitor.validate(buffer, max: 2)
      monitor.validate(buffer, max: 2)
    }
    // Both validations of the third object find the excess, and it counts once.
    #expect(leaks.all.map(\.liveCount) == [3, 3])
    #expect(monitor.liveCount(of: ManagedBuffer<Int, Int>.self) == 3)
    withExtendedLifetime(buffers) {}
  }

  @Test func `an object that is validated with and without its conformance counts once`() {
    withExtendedLifetime(Session(monitor)) { monitor.validate($0, max: 1) }
    #expect(leaks.all.isEmpty)
  }

  @Test func `D 0.b: two classes of the same name have separate counts`() {
    let both: [AnyObject] = [Session(monitor), Inner.Session()]
    for object in both { monitor.validate(object, max: 1) }
    #expect(leaks.all.isEmpty)
    #expect(monitor.liveCount(of: Session.self) == 1)
    #expect(monitor.liveCount(of: Inner.Session.self) == 1)
    withExtendedLifetime(both) {}
  }

  @Test func `D 0.q: removing one object, or all, ends their counting`() {
    var sessions = [Session(monitor)]
    monitor.remove(sessions[0])
    monitor.remove(Inner.Session())
    sessions.append(Session(monitor))
    #expect(leaks.all.isEmpty)
    #expect(monitor.liveCount(of: Session.self) == 1)
    monitor.removeAll()
    #expect(monitor.liveCount(of: Session.self) == 0)
    sessions.append(Session(monitor))
    #expect(leaks.all.isEmpty)
    sessions.append(Session(monitor))
    #expect(leaks.all.map(\.liveCount) == [2])
    withExtendedLifetime(sessions) {}
  }

  @Test func `the shared monitor counts objects of any class`() {
    final class Cache {}
    withExtendedLifetime(Cache()) { cache in
      MemoryLeakMonitor.validate(cache, max: 1)
      #expect(MemoryLeakMonitor.shared.liveCount(of: Cache.self) == 1)
    }
  }
}
