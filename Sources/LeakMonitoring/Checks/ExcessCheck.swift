import WeakCollections

/// A check of a class or a group with more live instances than it allows.
struct ExcessCheck: LeakCheck {
  /// Returns the number of live instances of the class or group.
  let count: @Sendable (ObjectIdentifier) -> Int
  let suspicions: Suspicions
  let exemptions: Exemptions
  let type: ObjectIdentifier
  let suspicion: Suspicions.Begun
  /// The report of the validation that began the check.
  let report: LeakReport

  // The identity of `suspicions` distinguishes validated instances from tokens, which are counted
  // separately.
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
    // A validation that found an excess after the last poll, but before the decision, began no
    // check of its own, so this one needs a successor. A validation after the decision begins its
    // own check.
    let liveCount = count(type)
    guard let next = suspicions.begin(of: type, liveCount: liveCount, max: report.max) else {
      return nil
    }
    return ExcessCheck(
      count: count, suspicions: suspicions, exemptions: exemptions, type: type,
      suspicion: next, report: report)
  }

  func resolve(_ report: LeakReport) -> Bool {
    suspicions.resolve(type, suspicion)
  }
}

/// The classes and groups that are under check because they have more live instances than allowed.
///
/// A class has at most one undecided check, however many instances are validated meanwhile. The
/// monitor reports an excess again only when more instances are alive than in the last report.
final class Suspicions: Sendable {
  /// A suspicion under check.
  struct Begun {
    let number: Int
    /// The highest live count that does not confirm the suspicion: `max`, or the last reported
    /// count.
    let floor: Int
  }

  private struct Suspicion {
    var isUndecided = false
    /// The reports that no late deallocation has resolved, in ascending order of their counts.
    var reported: [(number: Int, count: Int)] = []
  }

  private struct State {
    var classes: [ObjectIdentifier: Suspicion] = [:]
    var begun = 0
  }

  private let state = MutexLock(State())

  /// Begins a suspicion; returns nil if one is undecided, or if the count is at most `max` or at
  /// most the last reported count.
  func begin(of type: ObjectIdentifier, liveCount: Int, max: Int) -> Begun? {
    state.write { state in
      let suspicion = state.classes[type] ?? Suspicion()
      let floor = Swift.max(max, suspicion.reported.last?.count ?? 0)
      guard !suspicion.isUndecided, liveCount > floor else { return nil }
      state.classes[type, default: suspicion].isUndecided = true
      state.begun += 1
      return Begun(number: state.begun, floor: floor)
    }
  }

  /// Ends an undecided suspicion because the excess has disappeared.
  func dismiss(_ type: ObjectIdentifier) {
    change(type) { $0.isUndecided = false }
  }

  /// Ends an undecided suspicion because the monitor is about to report `count`.
  func conclude(_ type: ObjectIdentifier, _ suspicion: Begun, _ count: Int) {
    change(type) {
      $0.isUndecided = false
      $0.reported.append((suspicion.number, count))
    }
  }

  /// Forgets a report because fewer instances are alive now; returns false if the report was
  /// already forgotten.
  func resolve(_ type: ObjectIdentifier, _ suspicion: Begun) -> Bool {
    change(type) { state in
      let index = state.reported.firstIndex { $0.number == suspicion.number }
      return index.map { state.reported.remove(at: $0) } != nil
    }
  }

  /// Forgets all reports. Undecided suspicions stay, because their checks continue.
  func removeReported() {
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
      state.classes[type] = suspicion.isUndecided || !suspicion.reported.isEmpty ? suspicion : nil
      return result
    }
  }
}
