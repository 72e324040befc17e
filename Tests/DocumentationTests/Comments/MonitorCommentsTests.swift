import LeakMonitoring
import Testing
import WeakCollections

/// The examples in the comments of `LeakMonitoring`, except those of `Lifecycles`.
struct MonitorCommentsTests {
  private final class Player {
    private let lifetime = LifetimeToken(of: Player.self, max: 2)
  }

  private final class Session: MemoryLeakMonitorable {
    init() { MemoryLeakMonitor.validate(self) }
  }

  private final class Editor: MemoryLeakMonitorable {
    var max: Int { 2 }
    init() { MemoryLeakMonitor.validate(self) }
  }

  private final class Model {}

  private final class Controller {
    private let model: Model
    init(_ model: Model) { self.model = model }

    func viewDidLoad() { BindingAnalyzer.shared.registerBinding(model, to: self) }
    deinit { BindingAnalyzer.shared.registerUnbinding(model, from: self) }
  }

  @Test func `players and sessions are counted`() {
    MemoryLeakMonitor.withIsolation {
      let alive = (Player(), Session())
      #expect(MemoryLeakMonitor.current.liveCount(of: Session.self) == 1)
      #expect(MemoryLeakMonitor.current.lifetimeCount(of: Player.self) == 1)
      withExtendedLifetime(alive) {}
    }
  }

  @Test func `the third editor is reported`() {
    let counts = MutexLock<[Int]>([])
    let monitor = MemoryLeakMonitor(backend: .mutex)
    monitor.reporter = .closure { leak in counts.write { $0.append(leak.liveCount) } }
    MemoryLeakMonitor.withIsolation(in: monitor) {
      withExtendedLifetime([Editor(), Editor(), Editor()]) {}
    }
    #expect(counts.read { $0 } == [3])
  }

  @Test func `a snapshot shows the players that a flow leaves behind`() {
    MemoryLeakMonitor.withIsolation {
      var players: [Player] = []
      func openAndCloseScreen() { players.append(Player()) }
      let before = MemoryLeakMonitor.snapshot()
      openAndCloseScreen()
      for change in MemoryLeakMonitor.snapshot().changes(since: before) {
        print(change.typeName, change.before, change.after)
      }
      let changes = MemoryLeakMonitor.snapshot().changes(since: before)
      #expect(changes.map(\.after) == [1] && changes.map(\.born) == [1])
      withExtendedLifetime(players) {}
    }
  }

  @Test func `a controller binds its model and unbinds it`() {
    let model = Model()
    Controller(model).viewDidLoad()
    print(BindingAnalyzer.shared.report.text)
    let records = BindingAnalyzer.shared.report.counts.keys.filter {
      $0.viewModel.hasSuffix("MonitorCommentsTests.Model")
    }
    #expect(records.map(\.state) == [.surviving])
  }
}
