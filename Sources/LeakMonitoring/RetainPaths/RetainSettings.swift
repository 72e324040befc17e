import RuntimeInspection
import WeakCollections

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
