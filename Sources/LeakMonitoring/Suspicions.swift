import WeakCollections

/// The classes with more living instances than allowed, as far as grace is granted them.
///
/// One check a class is undecided at a time, however many instances are validated meanwhile. What has been
/// reported is not reported again until more live than the report said.
final class Suspicions: Sendable {
  /// A suspicion that was begun.
  struct Begun {
    let number: Int
    /// How many living instances do not confirm it: `max`, or as many as are reported already.
    let floor: Int
  }

  private struct Suspicion {
    var isUndecided = false
    /// What was reported and is not gone yet, in ascending order of the counts.
    var told: [(number: Int, count: Int)] = []
  }

  private struct State {
    var classes: [ObjectIdentifier: Suspicion] = [:]
    var begun = 0
  }

  private let state = MutexLock(State())

  /// Begins a suspicion; returns nil if it is not needed.
  func begin(of type: ObjectIdentifier, liveCount: Int, max: Int) -> Begun? {
    state.write { state in
      let suspicion = state.classes[type] ?? Suspicion()
      let floor = Swift.max(max, suspicion.told.last?.count ?? 0)
      guard !suspicion.isUndecided, liveCount > floor else { return nil }
      state.classes[type, default: suspicion].isUndecided = true
      state.begun += 1
      return Begun(number: state.begun, floor: floor)
    }
  }

  /// Ends an undecided suspicion, since too many live no more.
  func dismiss(_ type: ObjectIdentifier) {
    change(type) { $0.isUndecided = false }
  }

  /// Ends an undecided suspicion, since `count` is about to be reported.
  func conclude(_ type: ObjectIdentifier, _ suspicion: Begun, _ count: Int) {
    change(type) {
      $0.isUndecided = false
      $0.told.append((suspicion.number, count))
    }
  }

  /// Notes that no longer so many live as were reported; returns false if that was forgotten.
  func resolve(_ type: ObjectIdentifier, _ suspicion: Begun) -> Bool {
    change(type) { state in
      let index = state.told.firstIndex { $0.number == suspicion.number }
      return index.map { state.told.remove(at: $0) } != nil
    }
  }

  /// Forgets what was reported. What is undecided still is: its check goes on.
  func removeTold() {
    state.write { state in
      state.classes = state.classes.compactMapValues { suspicion in
        suspicion.isUndecided ? Suspicion(isUndecided: true) : nil
      }
    }
  }

  private func change<R>(_ type: ObjectIdentifier, _ body: (inout Suspicion) -> R) -> R {
    state.write { state in
      var suspicion = state.classes[type] ?? Suspicion()
      let result = body(&suspicion)
      state.classes[type] = suspicion.isUndecided || !suspicion.told.isEmpty ? suspicion : nil
      return result
    }
  }
}
