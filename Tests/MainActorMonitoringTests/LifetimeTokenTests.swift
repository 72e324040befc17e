import LeakMonitoring
import Testing

private class Screen {
  private let lifetime: LifetimeToken

  init() {
    lifetime = LifetimeToken(of: Self.self)
  }
}

private final class SettingsScreen: Screen {}

private final class Player {
  private let lifetime = LifetimeToken(of: Player.self)
}

private nonisolated final class Message: Sendable {
  private let lifetime = LifetimeToken(of: Message.self)
}

struct LifetimeTokenTests {
  @Test func `classes of the main actor and other classes can have tokens`() {
    MemoryLeakMonitor.withIsolation {
      let monitor = MemoryLeakMonitor.current
      let objects: [AnyObject] = [SettingsScreen(), Player(), Message()]
      #expect(monitor.lifetimeCount(of: SettingsScreen.self) == 1)
      #expect(monitor.lifetimeCount(of: Screen.self) == 0)
      #expect(monitor.lifetimeCount(of: Player.self) == 1)
      #expect(monitor.lifetimeCount(of: Message.self) == 1)
      withExtendedLifetime(objects) {}
    }
  }
}
