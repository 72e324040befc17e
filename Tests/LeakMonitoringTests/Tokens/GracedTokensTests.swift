import LeakMonitoring
import Testing
import WeakCollections

private final class Screen {
  private let lifetime = LifetimeToken(of: Screen.self)
}

private final class ValidatedTab {
  private let lifetime = LifetimeToken(of: ValidatedTab.self)

  init() {
    MemoryLeakMonitor.validate(self, max: 1)
  }
}

private final class Video {
  private let lifetime = LifetimeToken(
    of: Video.self, LifetimeConfiguration(max: nil, group: "media", groupMax: 1))
}

private final class Song {
  private let lifetime = LifetimeToken(
    of: Song.self, LifetimeConfiguration(max: nil, group: "media", groupMax: 1))
}

/// Tokens with a grace period.
@Suite(.timeLimit(.minutes(10)))
struct GracedTokensTests {
  private var (monitor, leaks, clock) = makeClockedMonitor()

  init() {
    monitor.policy = .graced(.milliseconds(100))
  }

  @Test func `under the graced policy, an instance that is deallocated in time is no leak`() async {
    var screen: Screen?
    MemoryLeakMonitor.withIsolation(in: monitor) {
      for _ in 0..<10 { screen = Screen() }
    }
    // If the check polled before the last screen was created, another check follows it.
    let isSettled = MutexLock(false)
    async let settled: Void = {
      await monitor.settle()
      isSettled.write { $0 = true }
    }()
    while !isSettled.read({ $0 }) {
      clock.wake()
      await Task.yield()
    }
    await settled
    #expect(leaks.all.isEmpty)
    withExtendedLifetime(screen) {}
  }

  @Test func `under the graced policy, an excess is leaked, and late when it is deallocated`() async
  {
    var screens = make { [Screen(), Screen(), Screen()] }
    await clock.tick(20)
    await monitor.settle()
    #expect(leaks.all.map(\.liveCount) == [3])
    screens = []
    await clock.tick()
    #expect(await leaks.first(2).map(\.state) == [.leaked, .late])
    withExtendedLifetime(screens) {}
  }

  @Test func `tokens and validations of a class report late deallocations separately`() async {
    var tabs = make { [ValidatedTab(), ValidatedTab()] }
    await clock.tick(20, sleepers: 2)
    await monitor.settle()
    #expect(leaks.all.map(\.state) == [.leaked, .leaked])
    // Ends the counting of validations; the tokens still count both.
    monitor.remove(tabs[0])
    await clock.tick(sleepers: 2)
    #expect(await leaks.first(3).last?.state == .late)
    #expect(monitor.lifetimeCount(of: ValidatedTab.self) == 2)
    // Both checks have polled after this. Otherwise the check of tokens could find both gone, and
    // end.
    await clock.rest()
    tabs = []
    await clock.tick()
    #expect(await leaks.first(4).last?.state == .late)
    withExtendedLifetime(tabs) {}
  }

  @Test func `instances that are removed during the grace period are no leak`() async {
    let screens = make { [Screen(), Screen()] }
    let videos = make { [Video(), Video()] }
    monitor.removeAll()
    await clock.tick(sleepers: 2)
    await monitor.settle()
    #expect(leaks.all.isEmpty)
    withExtendedLifetime((screens, videos)) {}
  }

  @Test func `instances that are created after a removal have a new grace period`() async {
    let forgotten = make { [Screen(), Screen()] }
    await clock.rest()
    monitor.removeAll()
    var screens = make { [Screen(), Screen(), Screen()] }
    await clock.tick(20)
    #expect(await leaks.first(1).map(\.liveCount) == [3])
    screens = []
    await clock.tick()
    #expect(await leaks.first(2).last?.state == .late)
    withExtendedLifetime((forgotten, screens)) {}
  }

  @Test func `classes that join a group during the grace period are listed`() async {
    let videos = make { [Video(), Video()] }
    await clock.rest()
    let song = make { Song() }
    await clock.tick(20)
    await monitor.settle()
    #expect(leaks.all.map(\.liveCount) == [3])
    #expect(leaks.all.first?.survivors.map(\.description) == ["Song", "Video", "Video"])
    withExtendedLifetime((videos, song)) {}
  }

  private func make<R>(_ body: () -> R) -> R {
    MemoryLeakMonitor.withIsolation(in: monitor, body)
  }
}
