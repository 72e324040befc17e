import Measurements
import WeakCollections

extension Measurement.Contention {
  /// Of a phase in which something was done.
  init(_ timed: PhaseReport, _ contestant: Contestant) {
    let reports = timed.workers
    let operations = Double(reports.reduce(0) { $0 + $1.operations })
    func perOperation(_ count: (ThreadUsage) -> Int?) -> Double? {
      reports.total { $0.usage.flatMap(count).map(Double.init) }.map { $0 / operations }
    }
    self.init(
      jainIndex: JainIndex.of(reports.map { Double($0.operations) }),
      voluntarySwitchesPerOperation: perOperation(\.voluntarySwitches),
      involuntarySwitchesPerOperation: perOperation(\.involuntarySwitches),
      casFailuresPerOperation: contestant.countsFailedExchanges
        ? perOperation { $0.failedExchanges } : nil,
      runQueueWaitNanosecondsPerOperation: perOperation(\.runQueueNanoseconds),
      lockWaitShare: reports.sleepShare, maxToMinOperations: reports.maxToMinOperations,
      reclamation: Measurement.Reclamation(timed.epochs, perOperation: operations),
      hardware: Measurement.Hardware(reports, perOperation: operations))
  }
}

extension Measurement.Reclamation {
  fileprivate init(_ activity: EpochActivity?, perOperation operations: Double) {
    self.init(
      advancesPerOperation: activity.map { Double($0.advances) / operations },
      failedAdvancesPerOperation: activity.map { Double($0.failedAdvances) / operations },
      limboPeakEntries: activity?.limboPeakEntries)
  }
}

extension Measurement.Hardware {
  fileprivate init(_ reports: [WorkerReport], perOperation operations: Double) {
    func perOperation(_ count: (HardwareCounts) -> Double?) -> Double? {
      reports.total { $0.usage.flatMap { count($0.hardware) } }.map { $0 / operations }
    }
    self.init(
      cyclesPerOperation: perOperation(\.cycles),
      instructionsPerOperation: perOperation(\.instructions),
      cacheMissesPerOperation: perOperation(\.cacheMisses))
  }
}

extension [WorkerReport] {
  /// Of all workers; nil if it is not known of one of them.
  fileprivate func total(_ amount: (WorkerReport) -> Double?) -> Double? {
    let amounts = compactMap(amount)
    return amounts.count == count ? amounts.reduce(0, +) : nil
  }

  /// The percentage of their time in which they slept.
  fileprivate var sleepShare: Double? {
    guard
      let asleep = total({ $0.usage?.sleepNanoseconds(of: $0.end - $0.start).map(Double.init) }),
      let all = total({ Double($0.end - $0.start) }), all > 0
    else { return nil }
    return 100 * asleep / all
  }

  /// nil if one of them made none: then there is no number.
  fileprivate var maxToMinOperations: Double? {
    guard let most = map(\.operations).max(), let least = map(\.operations).min(), least > 0 else {
      return nil
    }
    return Double(most) / Double(least)
  }
}

extension Contestant {
  /// Whether its failed atomic exchanges are counted; the others have none of ours.
  fileprivate var countsFailedExchanges: Bool { design == .backend(.lockFree) }

  /// Whether it retires memory to the epoch domain that all collections share.
  var reclaimsByEpochs: Bool {
    design == .backend(.lockFree) || design == .backend(.bucketLock)
  }
}
