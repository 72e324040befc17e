#if Interleaving
  import Interleaving

  /// The nodes of a structure by number. Nodes live as long as the structure, and a number is never
  /// used again. 0 is the number of no node.
  ///
  /// An allocation takes no step, as that of an object does not: no other thread runs inside.
  // @unchecked: virtual threads take turns.
  final class NodeTable<Node: Sendable>: @unchecked Sendable {
    private var nodes: [Node] = []

    /// Adds a node and returns its number.
    func add(_ node: Node) -> Int {
      nodes.append(node)
      return nodes.count
    }

    subscript(number: Int) -> Node { nodes[number - 1] }
  }

  /// The numbers of nodes that threads free and allocate again, the one freed first before others.
  final class FreeList: Sendable {
    private struct Numbers {
      var freed: [Int] = []
      var next = 1
    }

    // A lock of the scheduler: the number that a thread gets depends on the order of the calls.
    private let numbers = Mutex(Numbers())

    func allocate() -> Int {
      numbers.withLock { numbers in
        if !numbers.freed.isEmpty { return numbers.freed.removeFirst() }
        numbers.next += 1
        return numbers.next - 1
      }
    }

    func free(_ number: Int) {
      numbers.withLock { $0.freed.append(number) }
    }
  }
#endif
