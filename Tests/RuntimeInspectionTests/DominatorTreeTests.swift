import CRetainFaults
import Foundation
import LeakReports
import RuntimeInspection
import Testing

/// The bytes that the types of a known graph retain.
///
/// The tests run in child processes, whose other memory contains no copies of the addresses.
@Suite(.serialized, .enabled(if: HeapSnapshot.heapCapability == .available))
struct DominatorTreeTests {
  @Test func `objects retain exactly the objects that are reachable only through them`() async {
    await #expect(processExitsWith: .success) {
      Retaining.root = Retaining.Root()
      let heap = try RetainingHeap()
      let root = try #require(heap.node(Retaining.Root.self))
      #expect(heap.parent(of: root)?.kind == .globals)

      let left = try #require(heap.node(Retaining.Left.self, below: root))
      let leaves = heap.bytes(of: Retaining.Leaf.self)
      #expect(left.count == 1 && left.bytes == heap.bytes(of: Retaining.Left.self))
      let array = try #require(heap.children(of: left).first)
      #expect(array.typeName.hasPrefix("Swift._ContiguousArrayStorage<") && array.count == 1)
      #expect(heap.node(Retaining.Leaf.self, below: array)?.count == 10)
      #expect(array.retainedBytes == array.bytes + leaves)
      #expect(left.retainedBytes == left.bytes + array.retainedBytes)

      // Both sides refer to the shared object, so only the root retains it.
      let shared = try #require(heap.node(Retaining.Shared.self, below: root))
      #expect(shared.retainedBytes == shared.bytes && shared.count == 1)
      let right = try #require(heap.node(Retaining.Right.self, below: root))
      #expect(right.retainedBytes == right.bytes)

      let entry = try #require(heap.node(Retaining.RingEntry.self, below: root))
      let ring = try #require(heap.node(Retaining.RingEnd.self, below: entry))
      #expect(ring.retainedBytes == ring.bytes + heap.bytes(of: Retaining.Payload.self))
      #expect(entry.retainedBytes == entry.bytes + ring.retainedBytes)
    }
  }

  @Test func `a list is one node, also with closures between its elements`() async {
    await #expect(processExitsWith: .success) {
      Retaining.list = (0..<1000).reduce(nil) { next, _ in Retaining.Element(next) }
      Retaining.chain = (0..<100).reduce(nil) { next, _ in Retaining.Link(next) }
      let heap = try RetainingHeap()
      let list = try #require(heap.node(Retaining.Element.self))
      #expect(heap.parent(of: list)?.kind == .globals)
      #expect(list.count == 1000 && list.retainedBytes == list.bytes)
      #expect(list.bytes == heap.bytes(of: Retaining.Element.self))

      let chain = try #require(heap.node(Retaining.Link.self))
      let closures = try #require(heap.children(of: chain).first)
      #expect(chain.count == 100 && closures.count == 100 && closures.kind == .closure)
      #expect(chain.retainedBytes == chain.bytes + closures.bytes)
      // The first link is the only one that no closure retains.
      #expect(closures.retainedBytes == chain.retainedBytes - chain.bytes / 100)
    }
  }

  @Test func `a task retains the objects of its frame, and a leaked cycle only itself`() async {
    await #expect(processExitsWith: .success) {
      let (lines, _) = AsyncStream.makeStream(of: Int.self)
      let task = Task {
        let held = Retaining.Held()
        for await _ in lines {}
        withExtendedLifetime(held) {}
      }
      func isHeldByTask(_ heap: RetainingHeap) -> Bool {
        heap.node(Retaining.Held.self).flatMap(heap.origin)?.kind == .tasks
      }
      // The task may not have suspended yet.
      while try !isHeldByTask(RetainingHeap()) { await Task.yield() }
      Retaining.leak(cycles: 200)
      let heap = try RetainingHeap()
      #expect(isHeldByTask(heap))
      // An outdated word may refer to a few of the cycles.
      let leaked = heap.nodes(Retaining.Leaked.self)
        .filter { heap.origin(of: $0)?.kind == .unreachable }
      #expect(leaked.reduce(0) { $0 + $1.count } >= 190)
      let first = try #require(leaked.first)
      #expect(heap.parent(of: first)?.kind == .unreachable)
      #expect(heap.children(of: first).map(\.count) == [first.count])
      #expect(heap.children(of: first).map(\.kind) == [.closure])
      #expect(first.retainedBytes == first.bytes + heap.children(of: first)[0].bytes)
      task.cancel()
    }
  }

  @Test func `the origins retain all blocks, each block once`() throws {
    let snapshot = try HeapSnapshot.take(findsPaths: true, timeout: .seconds(60))
    let tree = try #require(snapshot.dominators)
    #expect(tree.retainedBytes == snapshot.objectBytes + snapshot.otherBytes)
    for node in tree.nodes {
      let parent = node.parent.map { tree.nodes[$0] }
      #expect(node.bytes <= node.retainedBytes)
      #expect(node.retainedBytes <= parent?.retainedBytes ?? .max)
    }
    #expect(try HeapSnapshot.take(timeout: .seconds(60)).dominators == nil)
  }

  @Test func `another process has the same tree`() async {
    await #expect(processExitsWith: .success) {
      Retaining.root = Retaining.Root()
      let child = crf_fork_idle()
      defer { crf_end(child) }
      let own = try #require(RetainingHeap().node(Retaining.Root.self))
      let other = try RetainingHeap(
        HeapSnapshot.take(ofProcess: child, findsPaths: true, timeout: .seconds(60)))
      let found = try #require(other.node(Retaining.Root.self))
      #expect(found.retainedBytes == own.retainedBytes && found.count == 1)
    }
  }
}

/// A snapshot that has a dominator tree.
private struct RetainingHeap {
  private let snapshot: HeapSnapshot
  private let tree: DominatorTree

  init(_ snapshot: HeapSnapshot? = nil) throws {
    self.snapshot = try snapshot ?? HeapSnapshot.take(findsPaths: true, timeout: .seconds(60))
    tree = try #require(self.snapshot.dominators)
  }

  func bytes(of type: Any.Type) -> Int { snapshot.entry(Self.name(type))?.bytes ?? 0 }

  func nodes(_ type: Any.Type) -> [DominatorTree.Node] {
    tree.nodes.filter { $0.typeName == Self.name(type) }
  }

  /// Returns the node of a type that has only one; otherwise nil.
  func node(_ type: Any.Type) -> DominatorTree.Node? {
    let nodes = nodes(type)
    return nodes.count == 1 ? nodes[0] : nil
  }

  func node(_ type: Any.Type, below parent: DominatorTree.Node) -> DominatorTree.Node? {
    children(of: parent).first { $0.typeName == Self.name(type) }
  }

  func children(of node: DominatorTree.Node) -> [DominatorTree.Node] {
    guard let index = tree.nodes.firstIndex(of: node) else { return [] }
    return tree.children[index].map { tree.nodes[$0] }
  }

  func parent(of node: DominatorTree.Node) -> DominatorTree.Node? {
    node.parent.map { tree.nodes[$0] }
  }

  func origin(of node: DominatorTree.Node) -> DominatorTree.Node? {
    parent(of: node).map { origin(of: $0) ?? $0 }
  }

  static func name(_ type: Any.Type) -> String {
    nameWithoutAddresses(String(reflecting: type))
  }
}

enum Retaining {
  nonisolated(unsafe) static var root: Root?
  nonisolated(unsafe) static var list: Element?
  nonisolated(unsafe) static var chain: Link?

  final class Root {
    let left: Left
    let right: Right
    let ring = RingEntry()

    init() {
      let shared = Shared()
      (left, right) = (Left(shared), Right(shared))
    }
  }

  final class Left {
    let shared: Shared
    let leaves = (0..<10).map { _ in Leaf() }

    init(_ shared: Shared) { self.shared = shared }
  }

  final class Right {
    let shared: Shared

    init(_ shared: Shared) { self.shared = shared }
  }

  final class Leaf {
    let number = 1
  }

  final class Shared {
    let numbers = (1, 2, 3)
  }

  final class RingEntry {
    let end = RingEnd()

    init() { end.entry = self }
  }

  final class RingEnd {
    var entry: RingEntry?
    let payload = Payload()
  }

  final class Payload {
    let numbers = (1, 2, 3, 4, 5)
  }

  final class Element {
    let next: Element?

    init(_ next: Element?) { self.next = next }
  }

  final class Link {
    let next: () -> Link?

    init(_ next: Link?) { self.next = { [next] in withExtendedLifetime(next) { next } } }
  }

  final class Held {
    let number = 1
  }

  final class Leaked {
    var number = 1
    var action: (() -> Void)?
  }

  /// Leaks cycles from a new thread, whose stack is unmapped afterwards.
  static func leak(cycles: Int) {
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      for number in 0..<cycles {
        let object = Leaked()
        object.action = { object.number += number }
      }
      end.signal()
    }
    end.wait()
  }
}
