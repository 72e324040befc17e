/// What one worker of a trial does, and what it must remember to do it.
protocol TrialWorker: Sendable {
  /// Does the next operation of the schedule and consumes its result.
  mutating func operate() async

  /// Operates until `stop` is up; returns how often.
  ///
  /// Workers in other languages do so themselves, so that they look at the sign and not at a call for
  /// each operation.
  mutating func operate(until stop: StopSign) async -> Int
}

extension TrialWorker {
  mutating func operate(until stop: StopSign) async -> Int {
    await TimingLoop.run(&self, until: stop)
  }
}
