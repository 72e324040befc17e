/// An operation whose cost is measured, repeated `operations` times in a trial.
struct Row {
  let name: String
  let operations: Int
  /// Performs one trial; returns its nanoseconds if it measures itself.
  private let trial: () async throws -> Double?

  init(_ name: String, operations: Int, _ perform: @escaping () async throws -> Void) {
    self.name = name
    self.operations = operations
    trial = {
      try await perform()
      return nil
    }
  }

  /// A row of one operation that measures itself: `perform` returns the nanoseconds.
  init(_ name: String, measuring perform: @escaping () async throws -> Double) {
    self.name = name
    operations = 1
    trial = perform
  }

  /// Returns the nanoseconds that one operation takes in one trial.
  func nanoseconds() async throws -> Double {
    let start = ContinuousClock.now
    let measured = try await trial()
    let elapsed = (ContinuousClock.now - start) / .nanoseconds(1)
    return (measured ?? elapsed) / Double(operations)
  }
}
