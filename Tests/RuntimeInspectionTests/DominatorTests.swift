import CRetainFaults
import Foundation
import LeakReports
import RuntimeInspection
import SeededTesting
import Testing

/// Compares the algorithm with the definition.
@Suite(.enabled(if: HeapSnapshot.heapCapability == .available))
struct DominatorTests {
  /// The targets of each node's edges; node 0 is the root.
  typealias Graph = [[Int]]

  private static func found(_ graph: Graph) -> [Int?] {
    let targets = graph.joined().map(UInt32.init)
    let first = graph.reduce(into: [UInt64(0)]) { $0.append($0.last! + UInt64($1.count)) }
    var dominators = [UInt32](repeating: 0, count: graph.count)
    guard crf_find_dominators(UInt32(graph.count), 0, first, targets, &dominators) else {
      return []
    }
    return dominators.map { $0 == .max ? nil : Int($0) }
  }

  private static func reached(_ graph: Graph, without removed: Int? = nil) -> Set<Int> {
    var (reached, stack) = (Set<Int>(), removed == 0 ? [] : [0])
    while let node = stack.popLast() {
      guard node != removed, reached.insert(node).inserted else { continue }
      stack += graph[node]
    }
    return reached
  }

  /// Returns the immediate dominators by the definition. A node dominates the nodes that the root
  /// does not reach without it. All other dominators of a node dominate its immediate dominator.
  private static func defined(_ graph: Graph) -> [Int?] {
    let all = reached(graph)
    let lost = graph.indices.map { all.subtracting(reached(graph, without: $0)) }
    return graph.indices.map { node in
      let dominators = all.filter { $0 != node && lost[$0].contains(node) }
      return dominators.max { one, other in lost[one].contains(other) }
    }
  }

  @Test func `a shared node belongs to the common dominator, and a cycle to its entry`() {
    //   0 -> 1 -> 3, 0 -> 2 -> 3, and 3 -> 4 -> 5 -> 3; 6 is not reached.
    let graph = [[1, 2], [3], [3], [4], [5], [3], [1]]
    #expect(Self.found(graph) == [nil, 0, 0, 0, 3, 4, nil])
  }

  @Test func `random graphs have the dominators of the definition`() {
    var random = SeededGenerator(seed: TestOptions.seed)
    for round in 0..<2000 {
      let count = Int.random(in: 1...24, using: &random)
      let degree = Int.random(in: 1...3, using: &random)
      let graph = (0..<count).map { _ in
        (0..<Int.random(in: 0...degree, using: &random)).map { _ in
          Int.random(in: 0..<count, using: &random)
        }
      }
      let (found, defined) = (Self.found(graph), Self.defined(graph))
      guard found != defined else { continue }
      Issue.record("round \(round), seed \(TestOptions.seed): \(graph): \(found), not \(defined)")
      return
    }
  }

  @Test func `a list of a million nodes with references back needs no deep stack`() {
    let count = 1_000_000
    let graph = (0..<count).map { $0 + 1 < count ? [$0 + 1, max(0, $0 - 1)] : [0] }
    #expect(Self.found(graph) == [nil] + (1..<count).map { $0 - 1 })
  }
}
