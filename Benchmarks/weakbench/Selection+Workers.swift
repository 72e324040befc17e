import BenchmarkCommands
import TerminalIO
import Benchmarking
import WeakCollections
import Workloads

/// Who does the work of a trial.
extension Selection {
  /// The workload of `--roles` for each collection; nil without the option.
  static func roles(
    _ options: RunOptions, for collections: [CollectionKind]
  ) throws(CommandError) -> [Workload]? {
    guard let text = options.roles else { return nil }
    let others = [
      ("--workload", options.workload), ("--mix", options.mix), ("--threads", options.threads),
    ]
    if let other = others.first(where: { $0.1 != nil })?.0 {
      throw .usage("--roles and \(other) exclude each other (allowed: one of them)")
    }
    do {
      let roles = try Role.roles(parsing: text)
      return collections.map { Workload.roles(roles, for: $0.subject) }
    } catch {
      throw .usage("--roles: \(error)")
    }
  }

  static func driver(_ options: RunOptions) throws(CommandError) -> Driver {
    guard let name = options.driver else { return .threads }
    guard let driver = Driver(rawValue: name) else {
      throw .unknown("driver", name, allowed: Driver.allCases.map(\.rawValue))
    }
    return driver
  }
}
