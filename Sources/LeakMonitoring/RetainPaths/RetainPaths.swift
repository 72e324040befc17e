#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Whether reports say who holds what lives on: see `LeakSurvivor.retainFinding`.
///
/// Only leaks are searched for their holders: of a report's survivors the five oldest, and of those of a scope or a
/// test case the five that it reports first, in the order of tracking. After a search that comes to grief there is no
/// other. A search reads a snapshot of the process, which is a forked child, and waits for its answer at most
/// `timeout`; `scripts/overhead` prints what that takes. It is made outside every exclusion, on the thread that
/// reports: that of `validate` if there is no grace period, else one of a task. The main actor waits only if it
/// validates so, or is where a test looks. Meanwhile the object is held: if it is let go of just then, its `deinit`
/// runs on that thread.
public enum RetainPaths: Sendable, Equatable {
  /// They do not.
  case hidden
  /// They do, if that can be found out within `timeout` for each object, which is more than no time: where this is set,
  /// less traps.
  case shown(timeout: Duration = .milliseconds(500))

  /// `.shown()` if the process was started with the environment variable `LEAK_PATHS` set, and not to 0, as by
  /// `LEAK_PATHS=1 swift test`; else `.hidden`.
  public static let standard = standard(setting: environmentSetting)

  /// The environment variable that `standard` asks.
  package static let variable = "LEAK_PATHS"

  static func standard(setting: String?) -> RetainPaths {
    ["", "0"].contains(setting ?? "") ? .hidden : .shown()
  }

  /// Traps unless there is time for a search.
  package func requireTime() {
    if case .shown(let timeout) = self {
      precondition(timeout > .zero, "expected a timeout of more than no time")
    }
  }

  private static var environmentSetting: String? {
    getenv(variable).map { String(cString: $0) }
  }
}
