import Benchmarking
import Charts
import Measurements
import Reporting
import SeededRandom
import TerminalIO
import WeakCollections
import Workloads

/// The names that somebody typed, found among those that there are.
package enum Selection {
  package static func collections(
    _ text: String?, otherwise standard: [CollectionKind] = StandardMatrix.collections
  ) throws(CommandError) -> [CollectionKind] {
    guard text != nil else { return standard }
    return try OptionText.choices(
      "collection", text, among: CollectionKind.allCases, named: \.rawValue)
  }

  package static func contestants(
    named text: String, of collections: [CollectionKind]
  ) throws(CommandError) -> [Contestant] {
    let all = collections.flatMap { Contestant.all(for: $0) }
    let allowed = all.map(\.name).withoutRepetitions
    let names = try OptionText.names(in: text, option: "--backend", allowed: allowed)
    if let name = names.first(where: { !allowed.contains($0) }) {
      throw .unknown("backend", name, allowed: allowed)
    }
    return all.filter { names.contains($0.name) }
  }

  package static func workloads(
    named text: String, for collections: [CollectionKind]
  ) throws(CommandError) -> [Workload] {
    let all = collections.flatMap { Workload.all(for: $0.subject) }
    let allowed = all.map(\.name).withoutRepetitions
    let names = try OptionText.names(in: text, option: "--workload", allowed: allowed)
    if let name = names.first(where: { !allowed.contains($0) }) {
      guard collections.count > 1 else {
        let subject = collections[0].subject
        throw .usage("\(WorkloadError.unknownWorkload(name, subject: subject))")
      }
      throw .unknown("workload", name, allowed: allowed)
    }
    return all.filter { names.contains($0.name) }
  }

  package static func nothingToRun(
    _ contestants: [Contestant], _ workloads: [Workload], _ driver: Driver = .threads
  ) -> CommandError {
    let supported = contestants.map { contestant in
      let workloads = Workload.all(for: contestant.collection.subject).filter(contestant.supports)
      return "\(contestant.collection.rawValue) \(contestant.name): "
        + workloads.map(\.name).joined(separator: ", ")
    }
    let asked = workloads.map(\.name).withoutRepetitions.joined(separator: ", ")
    return .usage(
      "nothing supports \(asked) on \(driver.rawValue) (allowed: \(supported.joined(separator: "; ")))"
    )
  }

  package static func mix(_ text: String) throws(CommandError) -> OperationMix {
    do {
      return try OperationMix(parsing: text)
    } catch {
      throw .usage("--mix: \(error)")
    }
  }
}

/// What is run when nothing is asked for, and what `--quick` runs.
package enum StandardMatrix {
  /// Those that the chooser chooses for; others only when they are named.
  package static let collections: [CollectionKind] = [.weakArray, .dictionary]
  package static let trials = 3
  package static let seconds = 0.44
  package static let size = 1024

  package static let quickTrials = 2
  package static let quickSeconds = 0.25
  package static let quickThreads = [1, 4]

  /// Below, at and beyond the cores: contention changes its nature there.
  package static func threads(usableCores cores: Int) -> [Int] {
    [1, cores, 2 * cores, 4 * cores].withoutRepetitions
  }

  /// Beyond the cores an open loop shows how the system shares them out.
  package static func openLoopThreads(usableCores cores: Int, isQuick: Bool) -> [Int] {
    isQuick ? [cores] : [1, cores].withoutRepetitions
  }

  /// Peers and baselines only give the scale: with one thread and with one on each core.
  package static func includes(
    _ kind: Measurement.Kind, threads: Int, usableCores cores: Int
  ) -> Bool {
    kind == .subject || threads == 1 || threads == cores
  }

  /// Mostly reading, mostly writing, and what the collection is there for.
  package static func quickWorkloads(for collection: CollectionKind) -> [String] {
    switch collection {
    case .weakArray: ["read-heavy", "exchange", "churn"]
    case .dictionary: ["read-heavy", "exchange", "get-or-insert"]
    case .weakSet: ["mixed", "exchange", "churn"]
    }
  }

  /// A tenth of a second at the standard half: long enough for caches, tables and threads.
  package static func warmupSeconds(forSeconds seconds: Double) -> Double {
    min(1, max(0.05, seconds / 5))
  }
}

extension CollectionKind {
  package var subject: WorkloadSubject {
    switch self {
    case .weakArray: .weakArray
    case .dictionary: .dictionary
    case .weakSet: .weakSet
    }
  }
}

extension Seed {
  /// Without `--seed`, of what must come out the same each time.
  package static let fixed = Seed(1)!

  /// What somebody typed after `--seed`.
  package init(option text: String?, otherwise standard: Seed) throws(CommandError) {
    guard let text else {
      self = standard
      return
    }
    do {
      try self.init(parsing: text)
    } catch {
      throw .usage("--seed: \(error)")
    }
  }
}

extension SplitMix64 {
  /// One that nobody can repeat. Not the system's generator itself: ThreadSanitizer crashes on a change of a value
  /// without size.
  package static func drawn() -> SplitMix64 { SplitMix64(seed: UInt64.random(in: .min ... .max)) }
}

extension Seed {
  /// One that nobody chose.
  package static func drawn() -> Seed {
    var generator = SplitMix64.drawn()
    return .random(using: &generator)
  }
}

extension TrialSpecification {
  /// What the progress bar says is being run.
  package var label: String {
    let load = pace.loadPercent.map { " at \($0) %" } ?? ""
    return
      "\(contestant.collection.rawValue) \(contestant.name) \(workload.name) ×\(threads)\(load)"
  }
}
