import Primitives

/// Says to all workers of a trial when to stop; alone on its cache lines, for they all look at it all
/// the time.
final class StopSign: Sendable {
  private nonisolated(unsafe) let isSet: UnsafeMutablePointer<Atomic<Bool>>

  init() {
    isSet = NodeMemory.allocateApart(byteCount: NodeMemory.destructiveInterference)
      .bindMemory(to: Atomic<Bool>.self, capacity: 1)
    isSet.initialize(to: Atomic(false))
  }

  deinit {
    NodeMemory.deallocate(isSet)
  }

  // Relaxed, both: it says when, and hands nothing over.
  var isUp: Bool {
    @inline(__always) get { isSet.pointee.load(ordering: .relaxed) }
  }
  /// The sign as other languages look at it: a byte that becomes 1.
  var address: UnsafePointer<Bool> {
    UnsafeRawPointer(isSet).assumingMemoryBound(to: Bool.self)
  }
  func raise() { isSet.pointee.store(true, ordering: .relaxed) }
}

/// The timed part of every trial, whatever is timed.
///
/// One generic function over a concrete worker: with cross-module optimization the calls in it are
/// direct, and for a backend that never suspends nothing in it does.
enum TimingLoop {
  /// Operates until `stop` is up, timing every `stride`-th operation by itself; returns the number of
  /// operations.
  ///
  /// Returns before that after the first sample that ends at or after `turnEnd`.
  static func run<W: TrialWorker>(
    _ worker: inout W, until stop: StopSign, stride: Int, recorder: inout LatencyRecorder,
    firstSampleAfter firstSample: Int = 0, turnEnd: Int = .max,
    clock: some PacingClock = MonotonicClock()
  ) async -> Int {
    // Looking at the sign only now and then is worth half a nanosecond to the fastest operations.
    let run = min(stride - 1, 15)
    var operations = 0
    var untilSample = firstSample
    while !stop.isUp {
      if untilSample <= 0 {
        untilSample = stride - 1
        let start = clock.now()
        await worker.operate()
        let end = clock.now()
        recorder.record(end - start)
        operations += 1
        if end >= turnEnd { return operations }
      }
      for _ in 0..<run { await worker.operate() }
      operations += run
      untilSample -= run
    }
    return operations
  }

  /// Operates until `stop` is up and times nothing by itself; returns the number of operations.
  static func run<W: TrialWorker>(_ worker: inout W, until stop: StopSign) async -> Int {
    var operations = 0
    while !stop.isUp {
      for _ in 0..<16 { await worker.operate() }
      operations &+= 16
    }
    return operations
  }

  /// Operates `count` times.
  static func run<W: TrialWorker>(_ worker: inout W, times count: Int) async {
    for _ in 0..<count { await worker.operate() }
  }

  /// How far apart samples must be for reading the clock to take at most a fiftieth of the time, and a
  /// fast operation's share of it at most a quarter of a nanosecond.
  static func stride(forNanosecondsPerOperation nanoseconds: Double) -> Int {
    let sampling = 2 * Clock.costNanoseconds + 30  // Two readings and the recording.
    let allowed = max(0.25, nanoseconds / 50)
    return max(1, Int((sampling / allowed).rounded(.up)))
  }
}

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
