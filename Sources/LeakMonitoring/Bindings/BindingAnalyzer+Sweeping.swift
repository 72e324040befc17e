import WeakCollections

extension BindingAnalyzer {
  /// Moves what is over to the history, which holds it as counts.
  func sweep() {
    var kept = 0
    for (key, pairs) in pairs.snapshot {
      // Asked here, since what has to be promoted for it is released, where a `deinit` may run.
      let dead = pairs.filter(\.isDead)
      kept += pairs.count - dead.count
      guard !dead.isEmpty else { continue }
      let records = takeOut(dead, of: key).map(\.record)
      history.write { $0.add(records) }
    }
    history.write { $0.noteSweep(kept: kept) }
  }

  /// Takes those pairs out that were unbound, or were found dead once before: an unbinding in a `deinit` comes
  /// when the object is dead already.
  private func takeOut(_ dead: [BindingPair], of key: BindingPair.Key) -> [BindingPair] {
    let identities = Set(dead.map(\.identity))
    return pairs.update(key) { pairs in
      // Several threads may sweep at once.
      guard var kept = pairs else { return [] }
      let over = kept.filter { identities.contains($0.identity) && $0.isOver }
      kept.removeAll { identities.contains($0.identity) && $0.isOver }
      for index in kept.indices where identities.contains(kept[index].identity) {
        kept[index].wasFoundDead = true
      }
      pairs = kept.isEmpty ? nil : kept
      return over
    }
  }
}

extension BindingPair {
  /// Tells it from all others while one of its copies is held.
  fileprivate var identity: ObjectIdentifier { ObjectIdentifier(viewModel.life) }

  /// Of a pair that is dead: whether no unbinding is waited for.
  fileprivate var isOver: Bool { !isBound || wasFoundDead }
}
