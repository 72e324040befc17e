/// What a report is about, for the monitor to complete it.
struct LeakSubject: Sendable {
  /// The records of its class or group, with the history of the count.
  let book: InstanceRecords
  /// Those of a group's classes, as of when it is asked: classes come while a check waits.
  var others: @Sendable () -> [InstanceRecords] = { [] }
  /// The one instance that it is about, else nil.
  var object: ObjectIdentifier?

  /// The recorded instances that live, the oldest first.
  func survivors(at now: Duration) -> [LeakSurvivor] {
    ([book] + others()).flatMap(\.living)
      .filter { object == nil || $0.object?.identifier == object }
      .sorted { ($0.birth, TypeName.stable($0.type)) < ($1.birth, TypeName.stable($1.type)) }
      .map { $0.survivor(at: now) }
  }
}
