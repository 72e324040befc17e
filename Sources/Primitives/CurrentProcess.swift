import CShims

/// This process, as far as it may be the copy of another.
public enum CurrentProcess {
  /// Differs from what it was in the process that forked this one; of the other threads there, none is here.
  ///
  /// Counts from the first call of `afterFork(_:)` on.
  public static var forkCount: UInt64 { cws_fork_count() }

  /// Has `handler` called in every child process, on the one thread that it has.
  ///
  /// There is one handler: `EpochReclamation`'s.
  public static func afterFork(_ handler: @convention(c) () -> Void) {
    cws_after_fork(handler)
  }
}
