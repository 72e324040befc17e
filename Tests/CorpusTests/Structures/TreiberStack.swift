#if Interleaving
  import Interleaving

  // A lock-free stack: R. K. Treiber, "Systems Programming: Coping with Parallelism", IBM Research
  // Report RJ 5118, 1986.
  //
  // The stack is a list of nodes. A compare-exchange of the top pushes or pops the first node. A
  // popped node is free, and a later push uses it again.
  //
  //  1. The next node of a node in the stack does not change.
  //  2. A tag in the top counts pops. So a compare-exchange fails if its node was popped since the
  //     load, even if the node is at the top again (ABA).
  //
  // Every operation is sequentially consistent: the defect needs no weaker ordering.
  final class TreiberStack: ConcurrentStack {
    enum Defect: String {
      case noTag = "the top has no tag: a reused node passes for the old one (ABA)"
    }

    private final class Node: Sendable {
      let value = Atomic(0)
      let next = Atomic(0)
    }

    private let defect: Defect?
    /// The number of the first node in the lower half, the tag in the upper half.
    private let top = Atomic(0)
    private let nodes = (0..<24).map { _ in Node() }
    private let freeList = FreeList()

    init(defect: Defect?) {
      self.defect = defect
    }

    private static let tagUnit = 1 << 32
    private static func number(_ top: Int) -> Int { top % tagUnit }

    func push(_ value: Int) {
      let number = freeList.allocate()
      nodes[number].value.store(value, ordering: .sequentiallyConsistent)
      while true {
        let old = top.load(ordering: .sequentiallyConsistent)
        nodes[number].next.store(Self.number(old), ordering: .sequentiallyConsistent)
        let new = old - Self.number(old) + number
        if top.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent)
          .exchanged
        {
          return
        }
      }
    }

    func pop() -> Int? {
      while true {
        let old = top.load(ordering: .sequentiallyConsistent)
        let number = Self.number(old)
        if number == 0 { return nil }
        let next = nodes[number].next.load(ordering: .sequentiallyConsistent)
        let tag = defect == .noTag ? 0 : old - number + Self.tagUnit
        if top.compareExchange(
          expected: old, desired: tag + next, ordering: .sequentiallyConsistent
        ).exchanged {
          let value = nodes[number].value.load(ordering: .sequentiallyConsistent)
          freeList.free(number)
          return value
        }
      }
    }
  }

  extension Specimen {
    static let treiberStack = Specimen(
      "Treiber stack", paper: "Treiber 1986", defect: TreiberStack.Defect.noTag,
      CallProgram<StackCall<TreiberStack>>(
        model: [], before: [.push(1), .push(2), .push(3)],
        threads: [[.pop], [.pop, .pop, .push(4)]], after: [.pop, .pop, .pop]),
      drawing: [.push(1), .push(2), .pop, .pop])
  }
#endif
