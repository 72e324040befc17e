/// What a report is about, for the monitor to complete it.
struct LeakSubject: Sendable {
  /// The records of its class or group, with the history of the count.
  let book: InstanceRecords
  /// Those of a group's classes, as of when it is asked: classes come while a check waits.
  var others: @Sendable () -> [InstanceRecords] = { [] }
  /// The one instance that it is about, else nil.
  var object: InstanceRecord?

  /// The recorded instances that live, the oldest first.
  ///
  /// - Parameter search: finds their holders.
  func survivors(at now: Duration, _ search: inout HolderSearch) -> [LeakSurvivor] {
    living.map { record in
      var survivor = record.survivor(at: now)
      survivor.retainFinding = record.object.flatMap { search.find($0.sign) }
      return survivor
    }
  }

  private var living: [InstanceRecord] {
    let recorded = ([book] + others()).flatMap(\.living)
    guard let object else {
      return recorded.sorted {
        ($0.birth, TypeName.stable($0.type)) < ($1.birth, TypeName.stable($1.type))
      }
    }
    // As it was validated, or else as it was expected to be gone.
    let same = recorded.first { $0.object?.identifier == object.object?.identifier }
    return [same ?? object].filter(\.isAlive)
  }
}
