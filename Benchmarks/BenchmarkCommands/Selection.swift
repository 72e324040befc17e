import TerminalIO
import Benchmarking
import Charts
import Measurements
import Reporting
import WeakCollections
import Workloads

/// The names that somebody typed, found among those that there are.
package enum Selection {
  package static func collections(
    _ text: String?, otherwise standard: [CollectionKind] = StandardMatrix.collections
  ) throws(CommandError) -> [CollectionKind] {
    guard text != nil else { return standard }
    return try OptionText.choices("collection", text, among: CollectionKind.allCases, named: \.rawValue)
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
