extension TimingLoop {
  /// How long a worker keeps a thread that others wait for.
  ///
  /// Handing it on costs a few microseconds, so less than a hundredth; and with four workers to a thread
  /// each is back after 3 ms.
  static let turnNanoseconds = 1_000_000

  /// Operates until `stop` is up, in turns between which others get the thread; times every `stride`-th
  /// operation by itself and returns the number of operations.
  ///
  /// Handing on lies between operations, and is in no latency. It is in the time of the trial.
  static func runInTurns<W: TrialWorker>(
    _ worker: inout W, until stop: StopSign, stride: Int, recorder: inout LatencyRecorder
  ) async -> Int {
    var operations = 0
    var untilSample = 0
    while !stop.isUp {
      operations += await run(
        &worker, until: stop, stride: stride, recorder: &recorder, firstSampleAfter: untilSample,
        turnEnd: Clock.now() + turnNanoseconds)
      // A turn ends with a sample. The first operation of the next, on a thread that others have used,
      // is no more likely than any other to be one.
      untilSample = stride - 1
      await Task.yield()
    }
    return operations
  }

  /// How far apart readings of the clock are where nobody knows yet how long an operation takes.
  static let warmupStride = 16
}
