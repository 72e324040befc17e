import Workloads

extension Seed {
  /// What somebody typed after `--seed`.
  init(option text: String?, otherwise drawn: Seed) throws(CommandError) {
    guard let text else {
      self = drawn
      return
    }
    do {
      try self.init(parsing: text)
    } catch {
      throw .usage("--seed: \(error)")
    }
  }
}
