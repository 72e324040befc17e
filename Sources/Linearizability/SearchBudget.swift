/// How long a search may go on: all parts together, and one part until the others had their turn.
///
/// A step is one attempt to let an operation take effect. The clock is read once in many
/// steps.
struct SearchBudget {
  enum Exhaustion: Equatable { case time, steps, turn }

  private static let stepsPerReading = 1024

  private let deadline: ContinuousClock.Instant?
  private let stepLimit: Int
  private var steps = 0
  private var endOfTurn = 0
  /// The clock is not asked again: a search that goes on after all would have left something out.
  private var isTimeUp = false

  init(timeLimit: Duration?, stepLimit: Int?) {
    deadline = timeLimit.map(ContinuousClock.now.advanced(by:))
    self.stepLimit = stepLimit ?? .max
  }

  /// Begins a turn of at most so many steps.
  mutating func beginTurn(steps allowance: Int) {
    endOfTurn = min(steps + min(allowance, .max - steps), stepLimit)
  }

  /// Counts a step; says what is used up, if anything is.
  @inline(__always)
  mutating func spend() -> Exhaustion? {
    guard steps < endOfTurn, !isTimeUp else {
      return isTimeUp ? .time : steps < stepLimit ? .turn : .steps
    }
    steps += 1
    guard steps % Self.stepsPerReading == 0, let deadline else { return nil }
    isTimeUp = ContinuousClock.now >= deadline
    return isTimeUp ? .time : nil
  }
}
