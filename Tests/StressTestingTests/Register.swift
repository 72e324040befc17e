#if Interleaving
  import EpochReclamation
  import Interleaving
  import Primitives

  /// The least structure that needs reclamation: one value in a node, which each write replaces.
  final class Register: @unchecked Sendable {
    let domain: EpochDomain
    private let node: Atomic<UnsafeMutablePointer<Int>>

    init(domain: EpochDomain) {
      self.domain = domain
      node = Atomic(Self.makeNode(0))
    }

    deinit {
      noteLastRelease(of: self)
      NodeMemory.deallocate(node.load(ordering: .relaxed))
    }

    var value: Int {
      get {
        domain.pin {
          let node = node.load(ordering: .sequentiallyConsistent)
          Execution.current?.pause()
          return node.reading().pointee
        }
      }
      set {
        let old = node.exchange(Self.makeNode(newValue), ordering: .sequentiallyConsistent)
        domain.retire(old, as: Node.self)
      }
    }

    private static func makeNode(_ value: Int) -> UnsafeMutablePointer<Int> {
      let node = NodeMemory.allocate(Int.self)
      node.writing().initialize(to: value)
      return node
    }

    private enum Node: Reclaimable {
      static func reclaim(_ pointer: UnsafeMutableRawPointer) { NodeMemory.deallocate(pointer) }
    }
  }
#endif
