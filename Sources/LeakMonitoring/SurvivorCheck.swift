/// An object that is expected to die.
struct SurvivorCheck: LeakCheck {
  let object: LifeSign
  let isLongLived: Bool
  let exemptions: Exemptions
  let type: ObjectIdentifier
  /// What to report if it lives on.
  let report: LeakReport

  var subject: CheckSubject? { nil }

  func look() -> LeakReport? { object.isAlive ? report : nil }

  func dismiss() {}

  func successor() -> SurvivorCheck? { nil }

  func conclude(_ found: LeakReport) -> LeakReport {
    var report = found
    if isLongLived {
      report.state = .longLived
    } else if exemptions.allowSurvivor(of: type) {
      report.state = .allowed
    }
    return report
  }

  func resolve(_ told: LeakReport) -> Bool {
    if told.state == .allowed { exemptions.releaseSurvivor(of: type) }
    return true
  }
}
