/// Something whose cost is measured: it is done so many times in a trial.
struct Row {
  let name: String
  let operations: Int
  let perform: () async throws -> Void

  init(_ name: String, operations: Int, _ perform: @escaping () async throws -> Void) {
    self.name = name
    self.operations = operations
    self.perform = perform
  }

  /// What one operation takes in one trial.
  func nanoseconds() async throws -> Double {
    let elapsed = try await ContinuousClock().measure { try await perform() }
    return elapsed / .nanoseconds(1) / Double(operations)
  }
}
