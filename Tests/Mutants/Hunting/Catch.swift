/// What a hunt came to.
package struct Catch: Sendable {
  /// What was found, in one line; nil if nothing was.
  package var finding: String?
  /// Executions until then, on threads or under schedules.
  package var executions: Int
  /// Until then; making the finding small included.
  package var elapsed: Duration
  /// What repeats it: a command without the program's name.
  package var replay: String?
}
