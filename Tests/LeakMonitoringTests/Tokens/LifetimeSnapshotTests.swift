import LeakMonitoring
import Testing
import WeakCollections

private final class Node {
  private let lifetime = LifetimeToken(of: Node.self, max: nil)
}

private final class Leaf {
  private let lifetime = LifetimeToken(of: Leaf.self, max: nil)
}

struct LifetimeSnapshotTests {
  private var (monitor, _, _) = makeClockedMonitor()

  @Test func `a comparison counts the new, the dead and the surviving instances`() {
    var nodes = make(3)
    let before = monitor.snapshot()
    nodes.removeFirst()
    nodes += make(4)
    // Created and released in between, so in no snapshot.
    _ = make(5)
    let change = monitor.snapshot().changes(since: before)
    #expect(
      change.map { [$0.before, $0.after, $0.survived, $0.born, $0.died] } == [[3, 6, 2, 4, 1]])
    #expect(change.first?.typeName == "LeakMonitoringTests.Node")
    withExtendedLifetime(nodes) {}
  }

  @Test func `any later snapshot can be compared with any earlier one`() {
    let monitor = monitor
    var nodes = make(2)
    let first = monitor.snapshot()
    nodes += make(2)
    let second = monitor.snapshot()
    nodes.removeFirst(3)
    nodes += make(1)
    let third = monitor.snapshot()
    #expect(third.changes(since: first).map { [$0.survived, $0.born, $0.died] } == [[0, 2, 2]])
    #expect(third.changes(since: second).map { [$0.survived, $0.born, $0.died] } == [[1, 1, 3]])
    #expect(second.changes(since: first).map { [$0.survived, $0.born, $0.died] } == [[2, 2, 0]])
    #expect(third.count(of: Node.self) == 2)
    withExtendedLifetime(nodes) {}
  }

  @Test func `a class is listed if instances were replaced, but not if none changed`() {
    var nodes = make(2)
    let before = monitor.snapshot()
    #expect(monitor.snapshot().changes(since: before).isEmpty)
    nodes[0] = make(1)[0]
    let change = monitor.snapshot().changes(since: before)
    #expect(change.map { [$0.survived, $0.born, $0.died] } == [[1, 1, 1]])
    withExtendedLifetime(nodes) {}
  }

  @Test func `for validated instances only the counts are known`() {
    final class Plain {}
    let before = monitor.snapshot()
    let plain = Plain()
    monitor.validate(plain, max: 1)
    let change = monitor.snapshot().changes(since: before)
    #expect(change.map(\.before) == [0] && change.map(\.after) == [1])
    #expect(change.map(\.survived) == [nil])
    withExtendedLifetime(plain) {}
  }

  @Test func `classes are sorted by name`() {
    let before = monitor.snapshot()
    let objects: (Node, Leaf) = MemoryLeakMonitor.withIsolation(in: monitor) { (Node(), Leaf()) }
    let names = monitor.snapshot().changes(since: before).map(\.typeName)
    #expect(names == ["LeakMonitoringTests.Leaf", "LeakMonitoringTests.Node"])
    withExtendedLifetime(objects) {}
  }

  private func make(_ count: Int) -> [Node] {
    MemoryLeakMonitor.withIsolation(in: monitor) { (0..<count).map { _ in Node() } }
  }
}
