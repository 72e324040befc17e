import BenchmarkCommands
import TerminalIO
import Benchmarking
import Charts
import Reporting
import WeakCollections
import Workloads

extension RunOptions {
  /// With what the profile says, wherever no flag says otherwise.
  func filledByProfile() throws(CommandError) -> RunOptions {
    guard let path = profile else { return self }
    let profile = try ProfileFile(contentsOf: path)
    var options = self
    options.collection = collection ?? profile.collection?.rawValue
    if workload == nil && mix == nil {
      options.workload = profile.workload
      options.mix = profile.shares?.description
    }
    options.keys = keys ?? profile.keyDistribution
    options.threads = threads ?? profile.threads.map { "\($0)" }
    options.size = size ?? profile.size.map { "\($0)" }
    if profile.synchronousOnly == true, backend == nil {
      options.backend = try Self.synchronousContestants(options.collection)
    }
    return options
  }

  /// Those that are run when nothing is asked for, without the backends that suspend.
  private static func synchronousContestants(_ collection: String?) throws(CommandError) -> String {
    let all = try Selection.collections(collection).flatMap { Contestant.all(for: $0) }
    return all.filter { $0.isStandard && Backend(rawValue: $0.name)?.isSynchronous != false }
      .map(\.name).withoutRepetitions.joined(separator: ",")
  }
}
