/// What is known of an instance that was sampled.
struct InstanceRecord: Sendable {
  let type: AnyClass
  /// Since the monitor was made.
  let birth: Duration
  let site: CallSite
  let backtrace: CreationBacktrace?
  /// Nil if the record goes when its instance does.
  let object: (identifier: ObjectIdentifier, sign: LifeSign)?

  var isAlive: Bool { object?.sign.isAlive ?? true }

  func survivor(at now: Duration) -> LeakSurvivor {
    LeakSurvivor(
      typeName: TypeName.stable(type), description: TypeName.short(type),
      // It may have been recorded after `now`, on another thread.
      age: max(.zero, now - birth),
      site: site, backtrace: backtrace)
  }
}
