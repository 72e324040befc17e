import Interleaving
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
