import Measurements
import Workloads

/// An open loop: operations are due at given times, independent of the progress of others.
///
/// In a closed loop, a delayed worker does not start the operations that it would have started
/// meanwhile. A pause is then one long sample, regardless of the number of requests that would have
/// waited: Tene's coordinated omission. In an open loop:
///
/// 1. Every operation has a due time, which no delay of another operation changes.
/// 2. A late worker skips nothing: it starts due operations one by one, until it has caught up.
/// 3. An operation's intended time is from when it is due to its end, its service time from its
///    start to its end.
/// 4. An operation that was never started, because the trial ended, counts with its wait until
///    then.
///
/// Each worker has its own queue: it does not start the overdue operations of another.
struct OpenLoop: Sendable {
  private(set) var times: OpenLoopTimes
  /// The end of the last operation.
  private(set) var now: Int
  private var due: Int
  private var arrivals: ArrivalSchedule.Arrivals
  private let isEndless: Bool
  private let lastDue: Int
  private let latestEnd: Int

  /// Starts the schedule at `begin`, and records in `times`, whose memory is already allocated.
  init(_ schedule: ArrivalSchedule, from begin: Int, times: OpenLoopTimes = OpenLoopTimes()) {
    self.times = times
    isEndless = schedule.isEndless
    lastDue = begin + schedule.nanoseconds
    latestEnd = begin + schedule.latestEnd
    now = begin
    arrivals = schedule.arrivals(from: begin)
    due = arrivals.next()
  }

  var isOver: Bool { due >= lastDue || now >= latestEnd }

  /// Waits until the next operation is due, and returns the time.
  mutating func waitUntilDue(_ clock: some PacingClock) -> Int {
    if now < due { now = clock.wait(until: due) }
    return now
  }

  /// Records an operation; its end is also the start of the next, if that is already due.
  mutating func record(from start: Int, to end: Int) {
    now = end
    times.service.record(end - start)
    times.intended.record(end - due)
    due = arrivals.next()
    if isOver && !isEndless { countBacklog() }
  }

  private mutating func countBacklog() {
    var due = due
    while due < lastDue {
      times.intended.record(now - due)
      times.backlog += 1
      due = arrivals.next()
    }
  }
}

/// The recorded times of an open loop.
struct OpenLoopTimes: Sendable {
  var service = LatencyRecorder()
  var intended = LatencyRecorder()
  /// The number of operations that were due, but not started.
  var backlog = 0

  mutating func add(_ other: OpenLoopTimes) {
    service.add(other.service)
    intended.add(other.intended)
    backlog += other.backlog
  }
}

/// The due times of one worker's operations, drawn before the clock starts.
struct ArrivalSchedule: Sendable {
  /// The period after the start in which operations are due.
  let nanoseconds: Int
  /// The gaps, or `nil` if every operation is due immediately, so that workers never wait.
  private let gaps: TableCursor<Double>?

  private static let gapCount = 8191  // A prime; 64 KiB.

  /// Draws the schedule of one worker; all workers together keep the pace.
  init(_ specification: TrialSpecification, worker: Int) {
    nanoseconds = Int(specification.seconds * 1e9)
    gaps = specification.pace.targetOperationsPerSecond.map { target in
      let mean = Double(specification.threads) * 1e9 / target
      let seed = specification.seed.derived(for: .worker, index: worker).derived(for: .arrivals)
      return TableCursor(
        PoissonArrivals.gaps(count: Self.gapCount, seed: seed).map { $0 * mean })
    }
  }

  /// Creates a schedule that repeats the given gaps.
  init(gaps: [Double], nanoseconds: Int) {
    self.nanoseconds = nanoseconds
    self.gaps = TableCursor(gaps)
  }

  /// Whether another operation is always due.
  var isEndless: Bool { gaps == nil }

  /// The end of the trial, even if operations are still due: late workers get 25 % more time.
  var latestEnd: Int { isEndless ? nanoseconds : nanoseconds + nanoseconds / 4 }

  func arrivals(from begin: Int) -> Arrivals {
    Arrivals(begin: begin, gaps: gaps ?? TableCursor([0]))
  }

  /// The sequence of due times, from `begin` on.
  struct Arrivals: Sendable {
    private let begin: Int
    private var gaps: TableCursor<Double>
    /// The time since `begin`; a floating-point number, so that rounding errors do not accumulate.
    private var elapsed = 0.0

    init(begin: Int, gaps: TableCursor<Double>) {
      self.begin = begin
      self.gaps = gaps
    }

    @inline(__always)
    mutating func next() -> Int {
      elapsed += gaps.next()
      return begin &+ Int(elapsed)
    }
  }
}
