import Benchmarking
import Charts
import Measurements
import Reporting
import SeededRandom
import TerminalIO
import WeakCollections
import Workloads

/// The lookup of names that the user typed.
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
      if Contestant.foreignNames.contains(name) && collections.contains(.dictionary) {
        throw missingPeer(name)
      }
      throw .unknown("backend", name, allowed: allowed)
    }
    return all.filter { names.contains($0.name) }
  }

  /// Returns the error for a peer that this build lacks, with the command that has it.
  private static func missingPeer(_ name: String) -> CommandError {
    let arguments = CommandLine.arguments.dropFirst().map { " \($0.quotedForShell)" }.joined()
    return .usage(
      "\(name) needs a build with the trait Peers "
        + "(allowed: swift run -c release --traits Peers \(Console.programName)\(arguments))")
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
        try refuseWorkload(of: collections[0], named: name, allowed: allowed)
        throw .usage("\(WorkloadError.unknownWorkload(name, subject: subject))")
      }
      throw .unknown("workload", name, allowed: allowed)
    }
    return all.filter { names.contains($0.name) }
  }

  /// Throws if the workload is one of other collections.
  private static func refuseWorkload(
    of collection: CollectionKind, named name: String, allowed: [String]
  ) throws(CommandError) {
    let owners = CollectionKind.allCases.filter { kind in
      Workload.all(for: kind.subject).contains { $0.name == name }
    }
    guard !owners.isEmpty else { return }
    throw .usage(
      "\(name) is a workload of \(owners.map(\.rawValue).joined(separator: " and ")), not of "
        + "\(collection.rawValue) (allowed: \(allowed.joined(separator: ", ")))")
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
      "nothing supports \(asked) on \(driver.rawValue) "
        + "(allowed: \(supported.joined(separator: "; ")))")
  }
}

/// The trials that run by default, and those of `--quick`.
package enum StandardMatrix {
  /// The default collections, for which the chooser has recommendations.
  package static let collections: [CollectionKind] = [.weakArray, .dictionary]
  package static let trials = 3
  package static let sessions = 3
  /// The time for undecided comparisons, as a fraction of the time of the sessions.
  package static let extraFraction = 2.0 / 3
  package static let seconds = 0.21
  package static let pauseSeconds = 5
  package static let entries = 1024

  package static let quickTrials = 2
  package static let quickSeconds = 0.25
  package static let quickThreads = [1, 4]

  /// Returns the default numbers of threads: below, at and beyond the cores, because contention
  /// changes its nature there.
  package static func threads(usableCores cores: Int) -> [Int] {
    [1, cores, 2 * cores, 4 * cores].withoutRepetitions
  }

  /// Returns the default numbers of threads of an open loop.
  ///
  /// None exceeds the cores: an open loop beyond them would measure the system's scheduler.
  package static func openLoopThreads(usableCores cores: Int, isQuick: Bool) -> [Int] {
    isQuick ? [cores] : [1, cores].withoutRepetitions
  }

  /// Returns whether the standard matrix has a contestant at a number of threads.
  ///
  /// Peers and baselines are only references: they run with one thread, and with one per core.
  package static func includes(
    _ contestant: Contestant, threads: Int, usableCores cores: Int
  ) -> Bool {
    contestant.kind == .subject || contestant.isCustom || threads == 1 || threads == cores
  }

  /// Returns the workloads of `--quick`: one that mostly reads, one that mostly writes, and the
  /// typical use of the collection.
  package static func quickWorkloads(for collection: CollectionKind) -> [String] {
    switch collection {
    case .weakArray: ["read-heavy", "exchange", "churn"]
    case .dictionary: ["read-heavy", "exchange", "get-or-insert"]
    case .weakSet: ["mixed", "exchange", "churn"]
    }
  }

  /// Returns the duration of the warm-up, long enough for caches, tables and threads.
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
  /// The default seed of results that must be the same every time.
  package static let fixed = Seed(1)!

  /// Creates the seed of the option `--seed`, or `standard` without the option.
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
  /// Returns a generator with a random seed.
  ///
  /// `SystemRandomNumberGenerator` has size zero, and ThreadSanitizer crashes on the mutation of
  /// such a value.
  package static func drawn() -> SplitMix64 { SplitMix64(seed: UInt64.random(in: .min ... .max)) }
}

extension Seed {
  /// Returns a random seed.
  package static func drawn() -> Seed {
    var generator = SplitMix64.drawn()
    return .random(using: &generator)
  }
}

extension TrialSpecification {
  /// The description of the trial in the progress bar.
  package var label: String {
    let load = pace.loadPercent.map { " at \($0) %" } ?? ""
    return
      "\(contestant.collection.rawValue) \(contestant.name) \(workload.name) ×\(threads)\(load)"
  }
}
