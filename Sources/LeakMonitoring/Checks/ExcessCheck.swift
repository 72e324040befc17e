import WeakCollections

/// More instances of a class than it allows.
struct ExcessCheck: LeakCheck {
  /// How many live of what is checked.
  let count: @Sendable (ObjectIdentifier) -> Int
  let suspicions: Suspicions
  let exemptions: Exemptions
  let type: ObjectIdentifier
  let suspicion: Suspicions.Begun
  /// What `validate` found.
  let report: LeakReport

  // What is validated and what has tokens are counted apart.
  var subject: CheckSubject? {
    CheckSubject(suspicions: ObjectIdentifier(suspicions), type: type)
  }

  func look() -> LeakReport? {
    let liveCount = count(type)
    guard liveCount > suspicion.floor else { return nil }
    var report = report
    report.liveCount = liveCount
    return report
  }

  func dismiss() {
    suspicions.dismiss(type)
  }

  func conclude(_ found: LeakReport) -> LeakReport {
    suspicions.conclude(type, suspicion, found.liveCount)
    return exemptions.judge(found, of: type, longLived: exemptions.longLivedCount(of: type))
  }

  func successor() -> ExcessCheck? {
    // Who validated an instance too many after the last look, but before the decision, relied on this
    // check; who does after it begins one.
    let liveCount = count(type)
    guard let next = suspicions.begin(of: type, liveCount: liveCount, max: report.max) else {
      return nil
    }
    return ExcessCheck(
      count: count, suspicions: suspicions, exemptions: exemptions, type: type,
      suspicion: next, report: report)
  }

  func resolve(_ told: LeakReport) -> Bool {
    suspicions.resolve(type, suspicion)
  }
}

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
