import WeakCollections

/// The classes with more living instances than allowed, as far as grace is granted them.
///
/// One check a class is undecided at a time, however many instances are validated meanwhile. What has been
/// reported is not reported again until more live than the report said.
final class Suspicions: Sendable {
  private struct Suspicion {
    var isUndecided = false
    /// The counts that were reported and are not gone yet, ascending.
    var told: [Int] = []
  }

  private let classes = MutexLock<[ObjectIdentifier: Suspicion]>([:])

  /// Begins a suspicion; returns how many living instances do not confirm it, or nil if it is not needed.
  func begin(of type: ObjectIdentifier, liveCount: Int, max: Int) -> Int? {
    classes.write { classes in
      let suspicion = classes[type] ?? Suspicion()
      let floor = Swift.max(max, suspicion.told.last ?? 0)
      guard !suspicion.isUndecided, liveCount > floor else { return nil }
      classes[type, default: suspicion].isUndecided = true
      return floor
    }
  }

  /// Ends an undecided suspicion, since too many live no more.
  func dismiss(_ type: ObjectIdentifier) {
    change(type) { $0.isUndecided = false }
  }

  /// Ends an undecided suspicion, since `count` is about to be reported.
  func conclude(_ type: ObjectIdentifier, _ count: Int) {
    change(type) {
      $0.isUndecided = false
      $0.told.append(count)
    }
  }

  /// Notes that no longer so many live as were reported.
  func resolve(_ type: ObjectIdentifier, _ count: Int) {
    change(type) { $0.told.removeAll { $0 == count } }
  }

  private func change(_ type: ObjectIdentifier, _ body: (inout Suspicion) -> Void) {
    classes.write { classes in
      var suspicion = classes[type] ?? Suspicion()
      body(&suspicion)
      classes[type] = suspicion.isUndecided || !suspicion.told.isEmpty ? suspicion : nil
    }
  }
}
