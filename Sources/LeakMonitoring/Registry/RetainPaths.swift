import RuntimeInspection
import WeakCollections

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Whether reports include the holders of the live instances: see `LeakSurvivor.retainFinding`.
///
/// The monitor searches only if a report is a leak: for the holders of its five oldest survivors,
/// or of the first five survivors of a scope or a test case in the order of tracking. After a
/// search that fails, it does not start another one. A search forks child processes, each of which
/// searches its own copy of the memory. The process waits at most `timeout` for their answer;
/// `scripts/overhead` prints how long that takes.
///
/// A search runs outside every lock, on the thread that reports: that of the caller of `validate`
/// without a grace period, and otherwise that of the task of the check. So a search blocks the main
/// actor only if the main actor validates without a grace period, or runs the test that searches.
/// The search retains the object. If the last other reference is released during the search, the
/// object's `deinit` runs on the searching thread.
public enum RetainPaths: Sendable, Equatable {
  /// Reports do not include holders.
  case hidden
  /// Reports include the holders that a search finds within `timeout` for each object.
  ///
  /// The timeout must be positive: a monitor or a test that receives another one traps.
  case shown(timeout: Duration = .milliseconds(500))

  /// The setting of the environment variable `LEAK_PATHS`: `.shown()` if it is set and neither
  /// empty nor 0, as in `LEAK_PATHS=1 swift test`; else `.hidden`.
  public static let standard = standard(setting: environmentSetting)

  /// The environment variable that `standard` reads.
  package static let variable = "LEAK_PATHS"

  static func standard(setting: String?) -> RetainPaths {
    ["", "0"].contains(setting ?? "") ? .hidden : .shown()
  }

  /// Traps unless the timeout is positive.
  package func requireTime() {
    if case .shown(let timeout) = self {
      guard timeout > .zero else {
        fatalError("the timeout of retain paths must be positive, got \(timeout)")
      }
    }
  }

  private static var environmentSetting: String? {
    getenv(variable).map { String(cString: $0) }
  }
}

/// The settings of a monitor's searches for holders.
final class RetainSettings: Sendable {
  private struct State {
    var paths: RetainPaths
    /// The roots in the order of addition, held weakly.
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
    // The closure returns the old roots, so that their objects are released outside the lock.
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

  /// Searches for the holder of an object; returns nil if the object is dead or `paths` are hidden.
  private func findHolder(of life: LifeSign, showing paths: RetainPaths) -> RetainFinding? {
    guard case .shown(let timeout) = paths, let object = life.promote() else { return nil }
    var search = RetainSearch(timeout: timeout)
    for root in state.read({ $0.roots }) {
      if let object = root.life.promote() { search.addRoot(root.name, object) }
    }
    return search.find(object)
  }
}

/// Searches for the holders of the first few survivors of a report or a test.
///
/// The number of searches is limited, because each one takes time.
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
    // The next search would probably fail too, after waiting for its whole timeout as this one may
    // have done.
    if case .unavailable = finding { searchesLeft = 0 }
    return finding
  }
}
