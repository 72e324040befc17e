#if Interleaving
  import Interleaving

  /// Follows the steps of an execution and counts how its threads, each a core, share lines of memory.
  ///
  /// Nodes lie where `CoreMemory` puts them. A collection and a domain begin a line each.
  // @unchecked: steps are taken on the one thread of the system that explores.
  final class SharingObserver: @unchecked Sendable {
    private struct Place {
      var address: UInt
      var kind: MemoryKind
    }

    private struct Node {
      var block: UInt
      var byteCount: UInt
    }

    private(set) var count = SharingCount<MemoryKind>()
    private(set) var promotions = 0
    private var memory = CoreMemory()
    private var nodes: [UInt: Node] = [:]
    /// By granules of the schedule's memory.
    private var places: [UInt: Place] = [:]
    /// Of memory that is no node's: what was used first, by which all else is placed. The allocator of the
    /// system would put a collection elsewhere in its line each time.
    private var firsts: [MemoryKind: UInt] = [:]
    private var counted = [Bool](repeating: false, count: CoreSet.capacity)

    private static var granule: UInt { 16 }

    /// Whether what `core` does from now on is counted.
    func setCounted(_ core: Int, _ isCounted: Bool) {
      counted[core] = isCounted
    }

    func note(_ step: ObservedStep) {
      switch step.kind {
      case .allocate:
        allocate(step)
      case .deallocate:
        use(step.address, step, isWrite: true)
        deallocate(step)
      case .load, .store, .update, .exchange, .failedExchange, .read, .write, .wait:
        use(step.address, step, isWrite: step.isWrite)
      case .mark:
        if counted[step.thread], step.site.function.hasPrefix("promote") { promotions += 1 }
      default:
        break
      }
    }

    private func use(_ address: UInt, _ step: ObservedStep, isWrite: Bool) {
      let place = places[address / Self.granule] ?? addPlace(at: address, step)
      count.access(
        place.address + address % Self.granule, of: place.kind, by: step.thread,
        isWrite: isWrite, isCounted: counted[step.thread])
    }

    /// Memory that is no node's, a collection's own fields for instance, is known by who uses it first.
    private func addPlace(at address: UInt, _ step: ObservedStep) -> Place {
      let isOfEpochs = step.site.file.hasPrefix("EpochReclamation/")
      let kind = isOfEpochs ? MemoryKind.epochs : .structure
      let granule = address - address % Self.granule
      let first = firsts[kind] ?? granule
      firsts[kind] = first
      let begin: UInt = isOfEpochs ? 1 << 62 : 1 << 63
      // Behind the head of an object that begins a line.
      let place = Place(address: begin + Self.granule &+ (granule &- first), kind: kind)
      places[address / Self.granule] = place
      return place
    }

    private func allocate(_ step: ObservedStep) {
      let isApart = step.address % (2 * CacheCoherence.lineByteCount) == 0
      let block = memory.allocate(byteCount: Int(step.value), by: step.thread, isApart: isApart)
      let node = Node(block: block, byteCount: UInt(step.value))
      nodes[step.address] = node
      let kind = Self.kind(ofFile: step.site.file)
      for offset in Self.offsets(of: node) {
        places[(step.address + offset) / Self.granule] = Place(address: block + offset, kind: kind)
        // Whoever makes a node fills it.
        use(step.address + offset, step, isWrite: true)
      }
    }

    private func deallocate(_ step: ObservedStep) {
      guard let node = nodes.removeValue(forKey: step.address) else { return }
      memory.deallocate(node.block, by: step.thread)
      for offset in Self.offsets(of: node) {
        places[(step.address + offset) / Self.granule] = nil
      }
    }

    private static func offsets(of node: Node) -> StrideTo<UInt> {
      stride(from: 0, to: node.byteCount, by: Int(granule))
    }

    private static func kind(ofFile file: String) -> MemoryKind {
      if file == "EpochReclamation/Participant.swift" { return .participants }
      return file.hasPrefix("EpochReclamation/") ? .epochs : .structure
    }
  }
#endif
