/// What a hunt came to.
package struct Catch: Sendable {
  /// What was found, in one line; nil if nothing was.
  package var finding: String?
  /// Executions until then.
  package var executions: Int
  package var elapsed: Duration
  /// What repeats it; nil where nothing can, or nothing was found.
  package var replay: String?

  package init(
    finding: String?, executions: Int, elapsed: Duration, replay: String? = nil
  ) {
    self.finding = finding
    self.executions = executions
    self.elapsed = elapsed
    self.replay = replay
  }
}
