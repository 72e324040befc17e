import LeakMonitoring

/// An object that is expected to die; does not keep it alive.
struct TrackedObject: Sendable {
  /// Which object, while that is alive.
  let identifier: ObjectIdentifier
  let site: CallSite
  private let type: AnyClass
  private let name: String?
  private let life: LifeSign
  private let birth = ContinuousClock.now

  /// - Parameter name: what to call it in reports; its class's name unless given.
  init(_ object: AnyObject, describedAs name: String? = nil, at site: CallSite) {
    identifier = ObjectIdentifier(object)
    type = Swift.type(of: object)
    self.name = name
    self.site = site
    life = LifeSign(object)
  }

  // Made when they are asked for: that takes long, and of most objects nobody reports anything.
  var typeName: String { TypeName.stable(type) }
  var description: String { name ?? TypeName.short(type) }

  /// False once the object's `deinit` has begun.
  var isAlive: Bool { life.isAlive }

  /// What to report if it lives on, with who holds it as far as `search` finds that.
  func survived(_ duration: Duration, _ search: inout HolderSearch) -> LeakReport {
    var report = LeakReport(
      finding: .survivor(after: duration), typeName: typeName, description: description,
      liveCount: 1, max: 0, site: site,
      survivors: [
        LeakSurvivor(
          typeName: typeName, description: description, age: birth.duration(to: .now), site: site,
          retainFinding: search.find(life))
      ])
    report.noteRunningTask()
    return report
  }
}
