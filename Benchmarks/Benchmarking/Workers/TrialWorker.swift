/// What one worker of a trial does, and what it must remember to do it.
protocol TrialWorker: Sendable {
  /// Does the next operation of the schedule and consumes its result.
  mutating func operate() async
}
