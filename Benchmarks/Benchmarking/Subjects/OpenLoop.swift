import Measurements
import Workloads

/// Operations that are due at given times, and what each of them took.
///
/// In a closed loop a worker that is held up does not start what it would have started meanwhile, so that a pause
/// is one long sample however many it would have kept waiting: Tene's coordinated omission. Here
///
/// 1. every operation has a time at which it is due, and no delay of another moves it;
/// 2. a worker that is late skips nothing: it starts what is due, one after the other, until it has caught up;
/// 3. an operation's intended time is from when it was due to its end, its service time from its start; and
/// 4. what was never started, because the trial had to end, has waited at least until then, and counts so.
///
/// A worker has a queue of its own: it does not start what another is late with.
struct OpenLoop: Sendable {
  private(set) var times: OpenLoopTimes
  /// The time at the end of the last operation.
  private(set) var now: Int
  private var due: Int
  private var arrivals: ArrivalSchedule.Arrivals
  private let isEndless: Bool
  private let lastDue: Int
  private let latestEnd: Int

  /// Begins at `begin`, and adds to `times`, which are allocated before that.
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

  /// Returns the time, as soon as the next operation is due.
  mutating func waitUntilDue(_ clock: some PacingClock) -> Int {
    if now < due { now = clock.wait(until: due) }
    return now
  }

  /// Records an operation. Its end is also the time at which the next is started, if that is due.
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

/// What operations took that were due at given times.
struct OpenLoopTimes: Sendable {
  var service = LatencyRecorder()
  var intended = LatencyRecorder()
  /// How many were due and not started.
  var backlog = 0

  mutating func add(_ other: OpenLoopTimes) {
    service.add(other.service)
    intended.add(other.intended)
    backlog += other.backlog
  }
}

/// When the operations of one worker are due, drawn before the clock starts.
struct ArrivalSchedule: Sendable {
  /// For so long after the start operations are due.
  let nanoseconds: Int
  /// nil if all are due at once, and no worker ever waits.
  private let gaps: TableCursor<Double>?

  private static let gapCount = 8191  // A prime; 64 KiB.

  /// Of one of `threads` workers that keep the pace together.
  init(_ specification: TrialSpecification, worker: Int) {
    nanoseconds = Int(specification.seconds * 1e9)
    gaps = specification.pace.targetOperationsPerSecond.map { target in
      let mean = Double(specification.threads) * 1e9 / target
      let seed = specification.seed.derived(for: .worker, index: worker).derived(for: .arrivals)
      return TableCursor(
        PoissonArrivals.gaps(count: Self.gapCount, seed: seed).map { $0 * mean })
    }
  }

  /// With these gaps again and again.
  init(gaps: [Double], nanoseconds: Int) {
    self.nanoseconds = nanoseconds
    self.gaps = TableCursor(gaps)
  }

  /// Whether there is always another one due.
  var isEndless: Bool { gaps == nil }

  /// When it has to end, whether or not every operation was started: a fourth of the time is given to those
  /// that are late.
  var latestEnd: Int { isEndless ? nanoseconds : nanoseconds + nanoseconds / 4 }

  func arrivals(from begin: Int) -> Arrivals {
    Arrivals(begin: begin, gaps: gaps ?? TableCursor([0]))
  }

  /// The times at which operations are due, one after the other, on the clock that began at `begin`.
  struct Arrivals: Sendable {
    private let begin: Int
    private var gaps: TableCursor<Double>
    /// Since the beginning; a fraction of a nanosecond must not be lost a million times.
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
