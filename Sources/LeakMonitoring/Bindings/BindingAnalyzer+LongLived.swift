import WeakCollections

/// A view model that lives as long as the program, or is to.
struct LongLivedModel: Sendable {
  let life: LifeSign
  /// Whether a sweep has found it dead.
  var wasFoundDead = false
}

extension BindingAnalyzer {
  /// Notes that `viewModel` lives and stays bound as long as the program, such as that of a tab bar: it is in no
  /// report while it lives, and to unbind it is an error.
  ///
  /// - Complexity: O(1) amortised.
  public func registerLongLived(_ viewModel: AnyObject) {
    guard MemoryLeakMonitor.isEnabled else { return }
    longLived.setValue(
      LongLivedModel(life: LifeSign(viewModel)), forKey: ObjectIdentifier(viewModel))
    noteRegistration()
  }

  /// How many long-lived objects are held, dead or alive.
  var longLivedCount: Int { longLived.snapshot.count }

  /// Whether it is long-lived; the caller keeps it alive, or is in its `deinit`.
  func isLongLived(_ viewModel: AnyObject) -> Bool {
    guard let entry = longLived.value(forKey: ObjectIdentifier(viewModel)) else { return false }
    return entry.life.isThat(of: viewModel)
  }

  /// Whether the living object at an address is long-lived.
  func isLongLived(at identifier: ObjectIdentifier) -> Bool {
    longLived.value(forKey: identifier)?.life.isAlive ?? false
  }

  /// Forgets a long-lived object that died, whose address `viewModel` has now.
  func forgetLongLivedPredecessor(of viewModel: AnyObject) {
    let identifier = ObjectIdentifier(viewModel)
    // Few are long-lived: mostly this is all.
    guard longLived.value(forKey: identifier) != nil else { return }
    longLived.update(identifier) { entry in
      if entry?.life.refers(to: viewModel) == false { entry = nil }
    }
  }
}
