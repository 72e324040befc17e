import Primitives

/// What a monitor costs: validations, and births of tokens.
final class CostMeter: Sendable {
  let validations = CostEstimate()
  let births = CostEstimate()

  // Relaxed, all: figures for people, each for itself.
  private let validationCount = Atomic<Int>(0)
  private let birthsBegun = Atomic<Int>(0)
  private let backtraces = Atomic<Int>(0)

  /// Returns the number of the validation, from 1.
  func addValidation() -> Int {
    validationCount.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Returns whether the birth of a token that begins is to be timed.
  ///
  /// Not one operation: of births at once one may stand for two, which only makes the sample another. They are
  /// counted elsewhere, by class.
  func beginBirth() -> Bool {
    let number = birthsBegun.load(ordering: .relaxed) &+ 1
    birthsBegun.store(number, ordering: .relaxed)
    return CostEstimate.isTimed(number)
  }

  func noteBacktrace() {
    backtraces.wrappingAdd(1, ordering: .relaxed)
  }

  /// - Parameter births: how many tokens were made.
  func cost(births: Int) -> MonitorCost {
    let validations = validationCount.load(ordering: .relaxed)
    let nanoseconds =
      self.validations.nanoseconds(of: validations) + self.births.nanoseconds(of: births)
    return MonitorCost(
      validations: validations + births, backtraces: backtraces.load(ordering: .relaxed),
      total: .nanoseconds(Int64(nanoseconds)))
  }
}
