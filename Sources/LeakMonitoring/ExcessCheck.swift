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
