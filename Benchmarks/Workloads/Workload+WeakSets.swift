extension Workload {
  /// The named workloads for weak sets.
  static let weakSets = [
    weakSet("read-only", .shares(read: 100), "Only looks for objects."),
    weakSet(
      "mixed", .shares(read: 90, insert: 5, remove: 5),
      "Looks for objects; every tenth operation writes."),
    weakSet(
      "exchange", .shares(read: 10, insert: 45, remove: 45),
      "Adds and removes objects, with some looking."),
    weakSet(
      "snapshot-heavy", .shares(insert: 5, remove: 5, iterate: 90),
      "Takes snapshots of all objects; seldom adds or removes one."),
    weakSet(
      "churn", .shares(read: 10, insert: 90),
      "Inserts objects while others die, which nobody removes.", .churning),
    weakSet(
      "leak-monitor", .shares(insert: 100),
      "Inserts short-lived objects of sixteen classes, each class in a set of its own, as a leak monitor does.",
      .monitoring),
  ]

  private static func weakSet(
    _ name: String, _ mix: OperationMix, _ summary: String, _ behaviour: Behaviour = .steady
  ) -> Workload {
    Workload(name, subject: .weakSet, mix: mix, behaviour: behaviour, summary: summary)
  }
}
