import LeakMonitoring
import Testing

// The published example: a base class that validates itself, and a subclass that allows two
// instances.

private class Coordinator: MemoryLeakMonitorable {
  var max: Int { 1 }

  init() {
    MemoryLeakMonitor.validate(self)
  }
}

private final class ArchiveCoordinator: Coordinator {
  override var max: Int { 2 }
}

@Suite(.serialized)
struct PublishedExampleTests {
  @Test func `0.8: the base class allows one instance`() {
    let first = Coordinator()
    withKnownIssue {
      withExtendedLifetime((first, Coordinator())) {}
    } matching: {
      $0.comments.first?.rawValue.hasPrefix(
        "Coordinator: 2 instances of LeakMonitoringTests.Coordinator are alive, expected at most 1;"
      )
        == true
    }
  }

  @Test func `0.8: the base class's initializer uses the subclass's max`() {
    let two = [ArchiveCoordinator(), ArchiveCoordinator()]
    withKnownIssue {
      withExtendedLifetime((two, ArchiveCoordinator())) {}
    } matching: {
      $0.comments.first?.rawValue.hasPrefix("ArchiveCoordinator: 3 instances") == true
    }
  }

  @Test func `0.8: instances count only for their own class`() {
    withExtendedLifetime((Coordinator(), ArchiveCoordinator())) {
      #expect(MemoryLeakMonitor.shared.liveCount(of: Coordinator.self) == 1)
      #expect(MemoryLeakMonitor.shared.liveCount(of: ArchiveCoordinator.self) == 1)
    }
    #expect(MemoryLeakMonitor.shared.liveCount(of: Coordinator.self) == 0)
  }
}
