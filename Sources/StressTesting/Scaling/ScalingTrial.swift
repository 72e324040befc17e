import Interleaving
import Primitives
import WeakCollections

/// Runs one collection on so many virtual cores, in one random schedule.
package struct ScalingTrial: Sendable {
  package var collection: CollectionKind
  package var backend: Backend
  package var workload: ScalingWorkload
  package var cores: Int
  package var seed: UInt64

  /// The backends whose synchronization is ours, so that all of it is seen.
  package static let backends: [Backend] = [.lockFree]

  /// One core is the scenario's.
  package static var allowedCores: ClosedRange<Int> { 1...128 }

  package init(
    collection: CollectionKind, backend: Backend, workload: ScalingWorkload, cores: Int,
    seed: UInt64
  ) {
    precondition(Self.allowedCores.contains(cores), "a trial has 1 to 128 cores")
    self.collection = collection
    self.backend = backend
    self.workload = workload
    self.cores = cores
    self.seed = seed
  }
}

/// What a collection did wrong while a trial counted.
package struct ScalingFailure: Error {
  package var failure: Failure
}

#if Interleaving
  import EpochReclamation

  extension ScalingTrial {
    package func run() throws(ScalingFailure) -> ScalingRow {
      let observer = SharingObserver()
      var plan = Exploration(
        strategy: .randomWalk, seed: seed, executions: 1, memory: .sequentiallyConsistent,
        stepLimit: 1 << 23)
      plan.observer = { observer.note($0) }
      let outcome = plan.run { execution in
        let subject = ScalingSubject(
          collection, backend, domain: EpochDomain(reportStall: { _ in }), cores: cores)
        run(subject, in: execution, observer)
      }
      if let failed = outcome.failure { throw ScalingFailure(failure: failed.failure) }
      var row = ScalingRow(
        collection: collection, backend: backend, workload: workload, cores: cores, seed: seed,
        operations: cores * workload.operationsPerCore(of: cores))
      row.structure = observer.count.sharedUses(of: .structure)
      row.epochs = observer.count.sharedUses(of: .epochs)
      row.participants = observer.count.sharedUses(of: .participants)
      row.promotions = observer.promotions
      return row
    }

    private func run(
      _ subject: ScalingSubject, in execution: Execution, _ observer: SharingObserver
    ) {
      let registration = WarmUpEnd(cores: cores)
      let warmUp = WarmUpEnd(cores: cores)
      for core in 1...cores {
        execution.thread {
          var operations = ScalingOperations(workload, seed: seed, core: core)
          // The first operation registers a participant, which writes a line that all read.
          subject.perform(operations.next())
          registration.arrive()
          subject.retireInAdvance(core: core, of: cores)
          subject.readAll()
          warmUp.arrive()
          observer.setCounted(core, true)
          for _ in 0..<workload.operationsPerCore(of: cores) { subject.perform(operations.next()) }
          observer.setCounted(core, false)
        }
      }
      execution.runThreads()
    }
  }
#endif

/// What one trial counted: how a collection uses lines that cores share.
package struct ScalingRow: Sendable, Equatable {
  package typealias Uses = SharingCount<MemoryKind>.Uses

  package var collection: CollectionKind
  package var backend: Backend
  package var workload: ScalingWorkload
  package var cores: Int
  package var seed: UInt64
  package var operations: Int
  package var structure = Uses()
  package var epochs = Uses()
  package var participants = Uses()
  /// Promotions of weak references, each of which changes the count of an element: memory that is the
  /// user's and not in the other figures.
  package var promotions = 0

  /// Lines that went from one core to another, for each operation.
  package var transfersPerOperation: Double {
    perOperation(structure.transfers + epochs.transfers + participants.transfers)
  }

  package func perOperation(_ count: Int) -> Double {
    Double(count) / Double(operations)
  }
}

extension ScalingRow {
  /// The columns of the CSV file; counts are for each operation.
  package static let columns =
    [
      "collection", "backend", "workload", "cores", "seed", "operations", "line_transfers",
    ]
    + MemoryKind.allCases.flatMap {
      ["\($0)_transfers", "\($0)_shared_reads", "\($0)_shared_writes"]
    } + ["promotions"]

  package static var csvHeader: String { columns.joined(separator: ",") + "\n" }

  package var csvLine: String {
    let uses = [structure, epochs, participants].flatMap { [$0.transfers, $0.reads, $0.writes] }
    let counts = uses + [promotions]
    let fields =
      [
        collection.rawValue, backend.rawValue, workload.rawValue, "\(cores)", "\(seed)",
        "\(operations)", "\(transfersPerOperation)",
      ] + counts.map { "\(perOperation($0))" }
    return fields.joined(separator: ",") + "\n"
  }
}

/// Where the cores of a trial wait for each other while they warm up.
// @unchecked: cores are virtual threads of one thread of the system; `missing` is no step of theirs.
final class WarmUpEnd: @unchecked Sendable {
  private var missing: Int
  /// 1 when all have arrived. Alone on its lines: that is written after the cores have read theirs.
  private let hasEnded: Futex.Word

  init(cores: Int) {
    missing = cores
    hasEnded = NodeMemory.allocateApart(byteCount: NodeMemory.destructiveInterference)
      .bindMemory(to: Atomic<UInt32>.self, capacity: 1)
    hasEnded.initialize(to: Atomic(0))
  }

  deinit {
    noteLastRelease(of: self)
    hasEnded.deinitialize(count: 1)
    NodeMemory.deallocate(hasEnded)
  }

  func arrive() {
    missing -= 1
    if missing > 0 {
      while missing > 0 { Futex.wait(on: hasEnded, while: 0) }
      return
    }
    // Sequentially consistent: before the wake-up, and for a wait that begins later to see.
    hasEnded.pointee.store(1, ordering: .sequentiallyConsistent)
    Futex.wakeAll(on: hasEnded)
  }
}

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
      let kind = Self.kind(ofNodeMadeAt: step.site)
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

    private static func kind(ofNodeMadeAt site: Site) -> MemoryKind {
      guard site.file.hasPrefix("EpochReclamation/") else { return .structure }
      return site.function == "init(in:)" ? .participants : .epochs
    }
  }
#endif
