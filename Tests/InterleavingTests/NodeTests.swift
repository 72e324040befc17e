#if Interleaving
  import Interleaving
  import Primitives
  import Testing

  struct NodeTests {
    /// A pointer to a node, which one thread removes while another reads it.
    private final class Holder: Sendable {
      let node: Atomic<UInt>

      init(_ node: UnsafeMutableRawPointer) {
        self.node = Atomic(UInt(bitPattern: node))
      }
    }

    private static func makeNode() -> UnsafeMutableRawPointer {
      let node = NodeMemory.allocate(byteCount: 24, alignment: 8)
      node.initializeMemory(as: Atomic<Int>.self, to: Atomic(7))
      return node
    }

    private static func load(_ address: UInt, ordering: AtomicLoadOrdering = .acquiring) -> Int {
      UnsafePointer<Atomic<Int>>(bitPattern: address)!.pointee.load(ordering: ordering)
    }

    @Test func `a use after a reclaim is found, with both sites`() throws {
      let outcome = search { execution in
        let holder = Holder(Self.makeNode())
        execution.thread("reader") {
          let address = holder.node.load(ordering: .acquiring)
          if address != 0 { _ = Self.load(address) }
        }
        execution.thread("reclaimer") {
          let address = holder.node.exchange(0, ordering: .sequentiallyConsistent)
          NodeMemory.deallocate(UnsafeMutableRawPointer(bitPattern: address)!)
        }
        execution.runThreads()
      }
      let failed = try #require(outcome.failure)
      switch failed.failure {
      case .useAfterReclaim(let access, let reclaim):
        #expect(access.function.hasPrefix("load"))
        #expect(reclaim.file == "InterleavingTests/NodeTests.swift")
      case .reclaimedInUse(let access, _):
        // The same defect in the other order.
        #expect(access.function.hasPrefix("load"))
      default: Issue.record("\(failed.failure)")
      }
    }

    @Test func `a reclaim that is not ordered after another thread's use is found`() {
      func outcome(_ store: AtomicStoreOrdering) -> Outcome {
        search(.sequentiallyConsistent) { execution in
          let node = Self.makeNode()
          let done = Holder(node)
          execution.thread {
            _ = Self.load(UInt(bitPattern: node))
            done.node.store(0, ordering: store)
          }
          execution.thread {
            while done.node.load(ordering: .acquiring) != 0 { spinHint() }
            NodeMemory.deallocate(node)
          }
          execution.runThreads()
        }
      }
      #expect(outcome(.releasing).failure == nil)
      guard case .reclaimedInUse = outcome(.relaxed).failure?.failure else {
        Issue.record("not found")
        return
      }
    }

    @Test func `a second reclaim is found`() {
      let outcome = search { _ in
        let node = Self.makeNode()
        NodeMemory.deallocate(node)
        NodeMemory.deallocate(node)
      }
      guard case .doubleReclaim = outcome.failure?.failure else {
        Issue.record("not found")
        return
      }
    }

    @Test func `nodes that are never reclaimed are leaks, with the sites of their allocation`() {
      let outcome = search { execution in
        execution.thread { _ = Self.makeNode() }
        execution.thread { NodeMemory.deallocate(Self.makeNode()) }
        execution.thread { _ = Self.makeNode() }
        execution.runThreads()
      }
      guard case .leak(count: 2, let sites) = outcome.failure?.failure else {
        Issue.record("not found")
        return
      }
      #expect(sites.map(\.function) == ["makeNode()", "makeNode()"])
    }

    @Test func `an access outside of every node is found`() {
      let outcome = search { _ in
        let node = Self.makeNode()
        _ = Self.load(UInt(bitPattern: node) + 32)
        NodeMemory.deallocate(node)
      }
      guard case .strayAccess = outcome.failure?.failure else {
        Issue.record("not found")
        return
      }
    }

    @Test func `a node that is published without release is used before it is initialized`() {
      func outcome(_ ordering: AtomicStoreOrdering) -> Outcome {
        search { execution in
          let holder = Holder(UnsafeMutableRawPointer(bitPattern: 1)!)
          execution.thread {
            holder.node.store(UInt(bitPattern: Self.makeNode()), ordering: ordering)
          }
          execution.thread {
            let address = holder.node.load(ordering: .acquiring)
            if address != 1 { _ = Self.load(address) }
          }
          execution.runThreads()
          NodeMemory.deallocate(
            UnsafeMutableRawPointer(bitPattern: holder.node.load(ordering: .relaxed))!)
        }
      }
      #expect(outcome(.releasing).failure == nil)
      guard case .dataRace(let first, _) = outcome(.relaxed).failure?.failure else {
        Issue.record("not found")
        return
      }
      #expect(first.function == "makeNode()")
    }

    @Test func `every execution has the same addresses, and reclaimed memory is overwritten`() {
      let addresses = Atomics()
      let plan = Exploration(strategy: .randomWalk, seed: 1, executions: 10)
      let outcome = plan.run { execution in
        let node = Self.makeNode()
        addresses.all.insert(UInt(bitPattern: node))
        NodeMemory.deallocate(node)
        execution.require(node.load(fromByteOffset: 16, as: UInt8.self) == 0xdd)
      }
      #expect(outcome.failure == nil)
      #expect(addresses.all.count == 1)
    }

    private final class Atomics {
      var all: Set<UInt> = []
    }
  }
#endif
