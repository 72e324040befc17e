import LeakMonitoring
import LeakTesting
import Testing
import WeakCollections

private final class Ticker: Invalidatable, Sendable {
  let time = 7
  private let call: @Sendable (Ticker) -> Void
  private let ended = MutexLock(false)
  static let last = MutexLock<Ticker?>(nil)

  init(_ call: @escaping @Sendable (Ticker) -> Void) {
    self.call = call
    tick()
    Self.last.write { $0 = self }
  }

  var isEnded: Bool { ended.read { $0 } }
  func tick() { call(self) }
  func invalidate() { ended.write { $0 = true } }
}

private struct API {
  func name() async -> String { "Ada" }
}

private final class Wall: Sendable {
  private let bag = CancelBag()  // Cancels its entries when the wall is deallocated.
  private let shown = MutexLock(0)
  var time: Int { shown.read { $0 } }
  func show(_ time: Int) { shown.write { $0 = time } }

  func start() {
    let proxy = WeakProxy(self) { (wall, ticker: Ticker) in wall.show(ticker.time) }
    let ticker = Ticker { proxy($0) }  // Keeps the proxy alive, not the wall.
    bag.insert { ticker.invalidate() }
  }
}

@MainActor final class Profile: @MainActor Lifecycle {
  let tasks = TaskStore<String>()
  var isClosing = false
  var name = ""
  private let api = API()

  func didAppear() {
    let task = Task { [weak self, api] in
      let name = await api.name()
      self?.name = name
    }
    tasks.replace("load", with: task)  // Cancels the task of an earlier appearance.
  }
}

/// Runs the blocks of lifecycles in the article *Monitoring a program*.
@Suite(.noLeaks(grace: .seconds(60)))
struct LifecycleExampleTests {
  @Test func `a wall shows the time and ends its ticker`() {
    do {
      let wall = track(Wall())
      wall.start()
      #expect(wall.time == 7)
      #expect(Ticker.last.read { $0 }?.isEnded == false)
    }
    #expect(Ticker.last.read { $0 }?.isEnded == true)
  }

  @Test @MainActor func `a closed profile is deallocated`() {
    let profile = track(Profile())
    profile.appear()
    profile.isClosing = true
    profile.disappear()  // Reports the profile if it is alive two seconds later.
  }
}
