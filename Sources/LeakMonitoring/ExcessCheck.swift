/// More instances of a class than it allows.
struct ExcessCheck: LeakCheck {
  let ledger: Ledger
  let suspicions: Suspicions
  let exemptions: Exemptions
  let type: ObjectIdentifier
  /// How many living instances do not confirm it: `max`, or as many as are reported already.
  let floor: Int
  /// What `validate` found.
  let report: LeakReport

  func look() -> LeakReport? {
    let liveCount = ledger.liveCount(type)
    guard liveCount > floor else { return nil }
    var report = report
    report.liveCount = liveCount
    return report
  }

  func dismiss() -> Bool {
    suspicions.dismiss(type)
    // Who validated an instance too many between the look and now relied on this check: look again.
    let liveCount = ledger.liveCount(type)
    return liveCount > floor
      && suspicions.begin(of: type, liveCount: liveCount, max: floor) != nil
  }

  func conclude(_ found: LeakReport) -> LeakReport {
    suspicions.conclude(type, found.liveCount)
    return exemptions.judge(found, of: type)
  }

  func resolve(_ told: LeakReport) {
    suspicions.resolve(type, told.liveCount)
  }
}
