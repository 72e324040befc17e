import TerminalIO
import Workloads

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
