import LeakMonitoring
import LeakTesting
import Testing
import WeakCollections

/// The examples in the comments of `Lifecycles`.
@Suite(.noLeaks(grace: .seconds(60)))
struct LifecycleCommentsTests {
  private struct API {
    func items() async -> [Int] { [1] }
  }

  private final class Socket: Sendable {
    private let closed = MutexLock(false)
    var isClosed: Bool { closed.read { $0 } }
    func close() { closed.write { $0 = true } }
  }

  private final class Model: Sendable {}

  private final class Observation {
    init(of model: Model) {}
    func end() {}
  }

  private enum Loading {
    final class Screen: Lifecycle {
      let tasks = TaskStore<String>()
      var isClosing = false
      func didAppear() { tasks.replace("load", with: Task { try? await Task.sleep(for: .zero) }) }
    }
  }

  private enum Connecting {
    final class Screen {
      private let bag = CancelBag()
      private let socket: Socket
      private let model = Model()

      init(_ socket: Socket) { self.socket = socket }
      func connect() { bag.insert { [socket] in socket.close() } }
      func observe() { bag.insert(Observation(of: model)) { $0.end() } }
    }
  }

  @MainActor private final class Map {
    private(set) var place = 0
    func move(to place: Int) { self.place = place }

    func ticker() -> Ticker {
      let screen = self
      let proxy = WeakProxy(screen) { (screen, ticker: Ticker) in
        let time = ticker.time
        MainActor.assumeIsolated { screen.move(to: time) }
      }
      return Ticker { proxy($0) }
    }
  }

  @MainActor private final class List {
    private let tasks = TaskStore<String>()
    private let api = API()
    private(set) var items: [Int] = []

    func didAppear() {
      tasks.replace(
        "load",
        with: Task { [weak self, api] in
          let items = await api.items()
          self?.items = items  // On one line with `await` it would keep the screen while it waits.
        })
    }
  }

  private final class Ticker: Invalidatable, Sendable {
    let time = 1
    private let call: @Sendable (Ticker) -> Void
    private let ended = MutexLock(false)

    init(_ call: @escaping @Sendable (Ticker) -> Void) { self.call = call }
    var isEnded: Bool { ended.read { $0 } }
    func tick() { call(self) }
    func invalidate() { ended.write { $0 = true } }
  }

  private final class Face: Sendable {
    private let place = MutexLock(0)
    func move(to place: Int) { self.place.write { $0 = place } }

    func start() -> Ticker {
      let ticker: Ticker
      let proxy = WeakProxy(self) { (screen, ticker: Ticker) in screen.move(to: ticker.time) }
      ticker = Ticker { proxy($0) }
      return ticker
    }
  }

  @Test func `a screen that closes dies`() {
    let screen = track(Loading.Screen())
    screen.appear()
    screen.isClosing = true
    screen.disappear()
  }

  @Test func `a bag closes the socket of a screen that is gone`() {
    let socket = Socket()
    do {
      let screen = track(Connecting.Screen(socket))
      screen.connect()
      screen.observe()
    }
    #expect(socket.isClosed)
  }

  @Test @MainActor func `a map of the main actor is moved by a ticker of its thread`() {
    let map = track(Map())
    map.ticker().tick()
    #expect(map.place == 1)
  }

  @Test @MainActor func `a list is deallocated while it loads`() {
    track(List()).didAppear()
  }

  @Test func `a ticker is ended when its screen is gone`() {
    let ticker: Ticker
    do {
      let face = track(Face())
      ticker = face.start()
      ticker.tick()
      #expect(!ticker.isEnded)
    }
    ticker.tick()
    #expect(ticker.isEnded)
  }
}
