import LeakMonitoring

/// An object that is expected to die; does not keep it alive.
struct TrackedObject: Sendable {
  /// Which object, while that is alive.
  let identifier: ObjectIdentifier
  let typeName: String
  let description: String
  let site: CallSite
  private let life: LifeSign

  init(_ object: AnyObject, at site: CallSite) {
    identifier = ObjectIdentifier(object)
    typeName = TypeName.stable(type(of: object))
    description = TypeName.short(type(of: object))
    self.site = site
    life = LifeSign(object)
  }

  /// False once the object's `deinit` has begun.
  var isAlive: Bool { life.isAlive }

  /// What to report if it lives on.
  func survived(_ duration: Duration) -> LeakReport {
    LeakReport(
      finding: .survivor(after: duration), typeName: typeName, description: description,
      liveCount: 1, max: 0, site: site)
  }
}
