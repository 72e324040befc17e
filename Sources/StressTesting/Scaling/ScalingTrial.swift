import Interleaving
import Primitives
import WeakCollections

/// A trial that runs one collection on a number of virtual cores, in one random schedule.
package struct ScalingTrial: Sendable {
  package var collection: CollectionKind
  package var backend: Backend
  package var workload: ScalingWorkload
  package var cores: Int
  package var seed: UInt64

  /// The backends that synchronize only through `Primitives`, so that a trial observes all their
  /// steps.
  package static let backends: [Backend] = [.lockFree]

  /// The allowed numbers of cores.
  package static var allowedCores: ClosedRange<Int> { 1...128 }

  /// Creates a trial.
  ///
  /// - Precondition: `allowedCores` contains `cores`.
  package init(
    collection: CollectionKind, backend: Backend, workload: ScalingWorkload, cores: Int,
    seed: UInt64
  ) {
    guard Self.allowedCores.contains(cores) else {
      fatalError(
        "cores must be from \(Self.allowedCores.lowerBound) to \(Self.allowedCores.upperBound), "
          + "got \(cores)")
    }
    self.collection = collection
    self.backend = backend
    self.workload = workload
    self.cores = cores
    self.seed = seed
  }
}

/// A failure of the collection during a trial.
package struct ScalingFailure: Error {
  package var failure: Failure
}

#if Interleaving
  import EpochReclamation

  extension ScalingTrial {
    /// Runs the trial and returns its counts.
    ///
    /// - Throws: The failure of the execution.
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
          // The first operation registers a participant, which writes a line that all cores read.
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

/// The counts of one trial: the uses of cache lines that more than one core uses.
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
  /// The number of promotions of weak references. Each promotion changes the reference count of an
  /// element. That is the user's memory, so the other counts do not include it.
  package var promotions = 0

  /// The number of transfers of cache lines from one core to another, per operation.
  package var transfersPerOperation: Double {
    perOperation(structure.transfers + epochs.transfers + participants.transfers)
  }

  /// Returns `count` divided by the number of operations.
  package func perOperation(_ count: Int) -> Double {
    Double(count) / Double(operations)
  }
}

extension ScalingRow {
  /// The columns of the CSV file. Counts are per operation.
  package static let columns =
    [
      "collection", "backend", "workload", "cores", "seed", "operations", "line_transfers",
    ]
    + MemoryKind.allCases.flatMap {
      ["\($0)_transfers", "\($0)_shared_reads", "\($0)_shared_writes"]
    } + ["promotions"]

  /// The first line of the CSV file.
  package static var csvHeader: String { columns.joined(separator: ",") + "\n" }

  /// The line of the CSV file.
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

/// A barrier at which the cores of a trial wait for each other during the warm-up.
// @unchecked: cores are virtual threads of one operating system thread. An access to `missing` is
// not a step, so no switch happens during it.
final class WarmUpEnd: @unchecked Sendable {
  private var missing: Int
  /// 1 as soon as all cores have arrived. It has cache lines of its own, because the last core
  /// writes it after the others have read the lines of the collection.
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
    // Sequentially consistent: the store precedes the wake-up below, and later waits in this method
    // see it.
    hasEnded.pointee.store(1, ordering: .sequentiallyConsistent)
    Futex.wakeAll(on: hasEnded)
  }
}

#if Interleaving
  import Interleaving

  /// Observes the steps of an execution, and counts the uses of cache lines that its threads share.
  /// Each thread is a core.
  ///
  /// `CoreMemory` determines the addresses of nodes. The collection and the domain each begin at
  /// the start of a cache line.
  // @unchecked: all steps happen on the operating system thread that explores.
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
    /// The simulated place of each granule of the execution's memory.
    private var places: [UInt: Place] = [:]
    /// For each kind, the granule outside of nodes that was used first. The places of other such
    /// granules are relative to it, because the system's allocator places a collection differently
    /// in each execution.
    private var firsts: [MemoryKind: UInt] = [:]
    private var counted = [Bool](repeating: false, count: CoreSet.capacity)

    private static var granule: UInt { 16 }

    /// Sets whether the observer counts the next steps of `core`.
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
      case .load, .store, .update, .compareExchange, .failedCompareExchange, .read, .write, .wait:
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

    /// Adds a place outside of nodes, such as a field of a collection. The module that first uses
    /// the place determines its kind.
    private func addPlace(at address: UInt, _ step: ObservedStep) -> Place {
      let isOfEpochs = step.site.file.hasPrefix("EpochReclamation/")
      let kind = isOfEpochs ? MemoryKind.epochs : .structure
      let granule = address - address % Self.granule
      let first = firsts[kind] ?? granule
      firsts[kind] = first
      let begin: UInt = isOfEpochs ? 1 << 62 : 1 << 63
      // The place follows the header of an object that begins at the start of a line.
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
        // The allocating core initializes the node.
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
