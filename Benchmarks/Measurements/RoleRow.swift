/// What one role did in one trial: a row of the roles' file, which joins the trial's by `row`.
struct RoleRow: Hashable, Sendable {
  var row: String
  var role: Measurement.Role

  static let unread = RoleRow(
    row: "",
    role: Measurement.Role(name: "", workers: 0, operations: 0, operationsPerSecond: 0))
}
