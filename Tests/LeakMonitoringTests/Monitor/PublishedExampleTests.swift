import LeakMonitoring
import Testing

// As published: a base class that validates itself, and a subclass of which two may live at once.

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

  @Test func `0.8: the base class's initialiser uses the subclass's max`() {
    let two = [ArchiveCoordinator(), ArchiveCoordinator()]
    withKnownIssue {
      withExtendedLifetime((two, ArchiveCoordinator())) {}
    } matching: {
      $0.comments.first?.rawValue.hasPrefix("ArchiveCoordinator: 3 instances") == true
    }
  }

  @Test func `0.8: instances count for their own class alone`() {
    withExtendedLifetime((Coordinator(), ArchiveCoordinator())) {
      #expect(MemoryLeakMonitor.shared.liveCount(of: Coordinator.self) == 1)
      #expect(MemoryLeakMonitor.shared.liveCount(of: ArchiveCoordinator.self) == 1)
    }
    #expect(MemoryLeakMonitor.shared.liveCount(of: Coordinator.self) == 0)
  }
}
