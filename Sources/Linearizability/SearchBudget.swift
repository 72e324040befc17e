/// How long a search may go on.
///
/// A step is one look at a return whose operation has not taken effect. The clock is read once in many
/// steps.
struct SearchBudget {
  enum Exhaustion: Equatable { case time, steps }

  private static let stepsPerReading = 1024

  private let deadline: ContinuousClock.Instant?
  private let stepLimit: Int
  private(set) var steps = 0

  init(timeLimit: Duration?, stepLimit: Int?) {
    deadline = timeLimit.map(ContinuousClock.now.advanced(by:))
    self.stepLimit = stepLimit ?? .max
  }

  /// Counts a step; says what is used up, if anything is.
  @inline(__always)
  mutating func spend() -> Exhaustion? {
    guard steps < stepLimit else { return .steps }
    steps += 1
    guard steps % Self.stepsPerReading == 0, let deadline else { return nil }
    return ContinuousClock.now < deadline ? nil : .time
  }
}
