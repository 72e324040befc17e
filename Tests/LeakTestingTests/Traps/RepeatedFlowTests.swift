import LeakMonitoring
import LeakTesting
import RuntimeInspection
import Testing
import WeakCollections

/// It keeps each screen that it has shown. A tool that looks for what nothing can reach finds none: they can be reached,
/// and only their number tells.
final class BrokenNavigator {
  private var history: [DetailScreen] = []

  func show() -> DetailScreen {
    history.append(DetailScreen())
    return history.last!
  }

  func close(_ screen: DetailScreen) {}
}

final class FixedNavigator {
  private var stack: [DetailScreen] = []

  func show() -> DetailScreen {
    stack.append(DetailScreen())
    return stack.last!
  }

  func close(_ screen: DetailScreen) { stack.removeAll { $0 === screen } }
}

final class DetailScreen {
  init() { MemoryLeakMonitor.validate(self, max: 10) }
}

struct RepeatedFlowTests {
  private let monitor = MemoryLeakMonitor(backend: .mutex)

  init() {
    monitor.reporter = .closure { _ in }
    monitor.retainPaths = .shown(timeout: .seconds(10))
  }

  @Test func `2.9 2.10 a flow that leaves a screen each time is reported by their number`() {
    let navigator = BrokenNavigator()
    monitor.addRoot("navigator", navigator)
    let leaks = MemoryLeakMonitor.withIsolation(in: monitor) {
      MemoryLeakMonitor.growth(loops: 5) { navigator.close(navigator.show()) }
    }
    #expect(leaks.map(\.finding) == [.growth([1, 2, 3, 4, 5, 6])])
    #expect(leaks.first?.survivors.count == 6)
    if RetainSearch.capability == .available {
      let path = leaks.first?.survivors.first?.retainPath
      #expect(path?.origin == .root("navigator") && path?.edges.first?.label == ".history[x]")
    }
  }

  @Test func `2.9 one that leaves none is not`() {
    let navigator = FixedNavigator()
    let leaks = MemoryLeakMonitor.withIsolation(in: monitor) {
      MemoryLeakMonitor.growth(loops: 5) { navigator.close(navigator.show()) }
    }
    #expect(leaks.isEmpty)
  }
}
