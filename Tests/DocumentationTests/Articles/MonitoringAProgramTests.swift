import LeakMonitoring
import LeakTesting
import Testing

private enum App {
  class Coordinator: MemoryLeakMonitorable {
    var max: Int { 1 }  // More live instances than `max` are a leak.

    init() {
      MemoryLeakMonitor.validate(self)
    }
  }

  final class ArchiveCoordinator: Coordinator {
    override var max: Int { 2 }
  }

  final class Player {
    private let lifetime = LifetimeToken(of: Player.self, max: 2)
  }

  class Screen {
    private let lifetime: LifetimeToken

    init() { lifetime = LifetimeToken(of: Self.self) }  // Counts a subclass as the subclass.
  }

  final class Draft: Codable {
    private let lifetime = LifetimeToken(
      of: Draft.self, LifetimeConfiguration(max: 1, group: "documents", groupMax: 3))
    var text = ""

    private enum CodingKeys: CodingKey { case text }  // Everything but the token.
  }
}

/// Runs the blocks of the article *Monitoring a program*, except those of lifecycles and bindings.
struct MonitoringAProgramTests {
  @Test func `a monitor counts coordinators`() {
    MemoryLeakMonitor.withIsolation {
      let alive = (App.Coordinator(), App.ArchiveCoordinator(), App.ArchiveCoordinator())
      #expect(MemoryLeakMonitor.current.liveCount(of: App.Coordinator.self) == 1)
      #expect(MemoryLeakMonitor.current.liveCount(of: App.ArchiveCoordinator.self) == 2)
      withExtendedLifetime(alive) {}
    }
  }

  @Test func `tokens count players, screens and drafts`() {
    MemoryLeakMonitor.withIsolation {
      let alive = (App.Player(), App.Screen(), App.Draft())
      #expect(MemoryLeakMonitor.current.lifetimeCount(of: App.Player.self) == 1)
      #expect(MemoryLeakMonitor.current.lifetimeCount(of: App.Screen.self) == 1)
      #expect(MemoryLeakMonitor.current.lifetimeCount(ofGroup: "documents") == 1)
      withExtendedLifetime(alive) {}
    }
  }

  @Test func `two snapshots show what a flow leaves behind`() {
    MemoryLeakMonitor.withIsolation {
      var players: [App.Player] = []
      func openAndCloseTheScreen() { players.append(App.Player()) }
      let before = MemoryLeakMonitor.snapshot()
      openAndCloseTheScreen()
      for change in MemoryLeakMonitor.snapshot().changes(since: before) {
        print(change.typeName, change.born ?? 0, change.died ?? 0, change.survived ?? 0)
      }
      let changes = MemoryLeakMonitor.snapshot().changes(since: before)
      #expect(changes.map(\.born) == [1])
      withExtendedLifetime(players) {}
    }
  }
}
