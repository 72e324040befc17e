import LeakMonitoring
import Testing

// Each kind of class that can validate itself in Swift 6 mode.

private class PlainClass: MemoryLeakMonitorable {
  var entries: [Int] = []

  init() {
    MemoryLeakMonitor.validate(self)
  }
}

private class BaseClass: MemoryLeakMonitorable {
  var max: Int { 1 }

  init() {
    MemoryLeakMonitor.validate(self)
  }
}

private final class Subclass: BaseClass {
  override var max: Int { 2 }

  override init() {
    super.init()
    MemoryLeakMonitor.validate(self)
  }
}

@MainActor private final class MainActorClass: MemoryLeakMonitorable {
  var title = ""

  init() {
    MemoryLeakMonitor.validate(self)
  }
}

@MainActor private final class MainActorClassWithMax: MemoryLeakMonitorable {
  nonisolated var max: Int { 2 }

  init() {
    MemoryLeakMonitor.validate(self)
  }
}

/// `max` may read isolated state, because only the initializer reads `max`.
@MainActor private final class IsolatedConformance: @MainActor MemoryLeakMonitorable {
  private let allowed = 2

  var max: Int { allowed }

  init() {
    MemoryLeakMonitor.validate(self)
  }
}

private actor Worker: MemoryLeakMonitorable {
  var jobs: [Int] = []

  init() {
    MemoryLeakMonitor.validate(self)
  }
}

private actor WorkerWithMax: MemoryLeakMonitorable {
  nonisolated var max: Int { 2 }

  init() {
    MemoryLeakMonitor.validate(self)
  }
}

private final class SendableClass: MemoryLeakMonitorable, Sendable {
  init() {
    MemoryLeakMonitor.validate(self)
  }
}

private final class ThrowingClass: MemoryLeakMonitorable {
  struct Refusal: Error {}

  init(refusing: Bool) throws {
    MemoryLeakMonitor.validate(self)
    if refusing { throw Refusal() }
  }
}

private final class DescribedClass: MemoryLeakMonitorable, CustomStringConvertible {
  let name: String
  var description: String { "the one called \(name)" }

  init(_ name: String) {
    self.name = name
    MemoryLeakMonitor.validate(self)
  }
}

private final class FailableClass: MemoryLeakMonitorable {
  init?(failing: Bool) {
    MemoryLeakMonitor.validate(self)
    if failing { return nil }
  }
}

struct MonitorableKindsTests {
  @Test func `a plain class validates itself`() {
    expect(allowed: 1) { PlainClass() }
  }

  @Test func `a base class and its overriding subclass validate themselves`() {
    expect(allowed: 1) { BaseClass() }
    expect(allowed: 2) { Subclass() }
  }

  @Test @MainActor func `a class of the main actor validates itself`() {
    expect(allowed: 1) { MainActorClass() }
    expect(allowed: 2) { MainActorClassWithMax() }
    expect(allowed: 2) { IsolatedConformance() }
  }

  @Test func `an actor validates itself`() {
    expect(allowed: 1) { Worker() }
    expect(allowed: 2) { WorkerWithMax() }
  }

  @Test func `a Sendable class validates itself`() {
    expect(allowed: 1) { SendableClass() }
  }

  @Test func `an instance whose initializer throws is deallocated and not counted`() throws {
    #expect(throws: ThrowingClass.Refusal.self) { try ThrowingClass(refusing: true) }
    #expect(MemoryLeakMonitor.shared.liveCount(of: ThrowingClass.self) == 0)
    try withExtendedLifetime(ThrowingClass(refusing: false)) {}
  }

  @Test func `an instance whose initializer fails is deallocated and not counted`() {
    #expect(FailableClass(failing: true) == nil)
    #expect(MemoryLeakMonitor.shared.liveCount(of: FailableClass.self) == 0)
    withExtendedLifetime(FailableClass(failing: false)) {}
  }

  @Test func `a report uses the class's own description`() {
    withKnownIssue {
      withExtendedLifetime((DescribedClass("one"), DescribedClass("other"))) {}
    } matching: {
      $0.comments.first?.rawValue.hasPrefix("the one called other: 2 instances of ") == true
    }
  }

  /// Expects an issue for one instance more than `allowed`, and none for fewer.
  private func expect<Object: AnyObject>(allowed: Int, _ make: () -> Object) {
    var objects = (0..<allowed).map { _ in make() }
    #expect(MemoryLeakMonitor.shared.liveCount(of: Object.self) == allowed)
    withKnownIssue {
      objects.append(make())
    } matching: {
      $0.comments.first?.rawValue.contains(": \(allowed + 1) instances of") == true
    }
    objects = []
    #expect(MemoryLeakMonitor.shared.liveCount(of: Object.self) == 0)
  }
}
