extension Workload {
  /// The named workloads for weak arrays.
  static let weakArrays = [
    weakArray("read-only", .shares(read: 100), "Only looks for objects."),
    weakArray(
      "read-heavy", .shares(read: 98, insert: 1, remove: 1),
      "Looks for objects; seldom adds or removes one."),
    weakArray(
      "mixed", .shares(read: 90, insert: 5, remove: 5),
      "Looks for objects; every tenth operation writes."),
    weakArray(
      "exchange", .shares(read: 10, insert: 40, remove: 40, iterate: 10),
      "Adds and removes objects, with some looking."),
    weakArray(
      "snapshot-heavy", .shares(insert: 5, remove: 5, iterate: 90),
      "Takes snapshots of all objects; seldom adds or removes one."),
    weakArray(
      "append-heavy", .shares(read: 5, insert: 90, iterate: 5),
      "Appends objects that stay alive."),
    weakArray(
      "rapid-grow", .shares(read: 5, insert: 90, remove: 5),
      "Grows from empty, again and again.", .growing),
    weakArray(
      "churn", .shares(read: 10, insert: 80, update: 1, iterate: 9),
      "Appends objects while others die; seldom compacts.", .churning),
    weakArray(
      "delegate-notify", .shares(insert: 1, remove: 1, iterate: 98),
      "Calls a method of every object, as for a list of delegates.", .notifying),
    weakArray(
      "leak-monitor", .shares(insert: 100),
      "Appends a short-lived object and counts, as a leak monitor does.", .monitoring),
  ]

  private static func weakArray(
    _ name: String, _ mix: OperationMix, _ summary: String, _ behaviour: Behaviour = .steady
  ) -> Workload {
    Workload(name, subject: .weakArray, mix: mix, behaviour: behaviour, summary: summary)
  }
}
