import RuntimeInspection
import WeakCollections

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

extension MemoryLeakMonitor {
  /// Whether reports say who holds what lives on; `.standard` unless changed. Takes effect for the next report. To
  /// set a timeout of no time traps.
  public var retainPaths: RetainPaths {
    get { observations.retainSettings.paths }
    set { observations.retainSettings.paths = newValue }
  }

  /// The current monitor's.
  public static var retainPaths: RetainPaths {
    get { current.retainPaths }
    set { current.retainPaths = newValue }
  }

  /// Has searches for who holds an object begin at `object` too, if no running task and no cycle holds it: at what
  /// lives as long as the program, such as the environment of its screens. Tests with retain paths use those of the
  /// current monitor.
  ///
  /// It is held weakly, and no root any more once it is gone. Paths call it by its name; another object of that name
  /// takes its place.
  public func addRoot(_ name: String, _ object: AnyObject) {
    observations.retainSettings.addRoot(name, object)
  }

  /// `addRoot` of the current monitor.
  public static func addRoot(_ name: String, _ object: AnyObject) {
    current.addRoot(name, object)
  }

  /// Finds who holds the first few objects that it is asked about, as far as paths are `shown`; nil if they are not, or
  /// if one is gone.
  package func holderSearch(showing paths: RetainPaths) -> HolderSearch {
    observations.retainSettings.holderSearch(showing: paths)
  }
}

/// Whether a monitor looks for who holds what lives on, and from where.
final class RetainSettings: Sendable {
  private struct State {
    var paths: RetainPaths
    /// In the order in which they were added; held weakly.
    var roots: [(name: String, life: LifeSign)] = []
  }

  private let state: MutexLock<State>

  init(_ paths: RetainPaths) {
    paths.requireTime()
    state = MutexLock(State(paths: paths))
  }

  private init(_ state: State) {
    self.state = MutexLock(state)
  }

  var copy: RetainSettings { RetainSettings(state.read { $0 }) }

  var paths: RetainPaths {
    get { state.read { $0.paths } }
    set {
      newValue.requireTime()
      state.write { $0.paths = newValue }
    }
  }

  func addRoot(_ name: String, _ object: AnyObject) {
    let life = LifeSign(object)
    // The old ones are the result, so that what they refer to is released outside the lock.
    let old = state.write { state in
      let old = state.roots
      state.roots = old.filter { $0.name != name } + [(name, life)]
      return old
    }
    withExtendedLifetime(old) {}
  }

  func holderSearch(showing paths: RetainPaths) -> HolderSearch {
    HolderSearch { self.findHolder(of: $0, showing: paths) }
  }

  /// Who holds an object; nil if it is gone or `paths` are hidden.
  private func findHolder(of life: LifeSign, showing paths: RetainPaths) -> RetainFinding? {
    guard case .shown(let timeout) = paths, let object = life.promote() else { return nil }
    var search = RetainSearch(timeout: timeout)
    for root in state.read({ $0.roots }) {
      if let object = root.life.promote() { search.addRoot(root.name, object) }
    }
    return search.find(object)
  }
}

/// Looks for the holders of a report's survivors, or of a test's: of the first few, since each search takes time.
package struct HolderSearch {
  private static let mostSearches = 5

  private let find: (LifeSign) -> RetainFinding?
  private var searchesLeft = mostSearches

  init(_ find: @escaping (LifeSign) -> RetainFinding?) {
    self.find = find
  }

  package mutating func find(_ life: LifeSign) -> RetainFinding? {
    guard searchesLeft > 0, let finding = find(life) else { return nil }
    searchesLeft -= 1
    // What is not to be had for one is not for the next, and may have used up its time.
    if case .unavailable = finding { searchesLeft = 0 }
    return finding
  }
}
