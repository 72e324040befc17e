extension Measurement {
  /// What the trials of one process share and those of another do not: where its memory lies, and when it
  /// ran. Trials of one are more alike than trials of several.
  public struct Process: Hashable, Sendable {
    let run: String
    let fork: Int
  }

  /// The process that made the trial: a run of older files was one.
  public var process: Process { Process(run: identity.run, fork: trial.fork ?? 1) }
}
