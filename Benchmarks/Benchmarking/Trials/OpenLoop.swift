import Measurements
import Workloads

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

/// The timed part of a trial in which operations are due at given times.
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
enum OpenLoop {
  /// Operates as `schedule` says, from `begin` on; returns the number of operations and the time at the end.
  static func run<W: TrialWorker, C: PacingClock>(
    _ worker: inout W, _ schedule: ArrivalSchedule, from begin: Int, clock: C,
    times: inout OpenLoopTimes
  ) async -> (operations: Int, end: Int) {
    var arrivals = schedule.arrivals(from: begin)
    let lastDue = begin + schedule.nanoseconds
    let latestEnd = begin + schedule.latestEnd
    var operations = 0
    var now = begin
    var due = arrivals.next()
    while due < lastDue && now < latestEnd {
      if now < due { now = clock.wait(until: due) }
      let start = now
      await worker.operate()
      // One reading ends an operation and, if the next is due, starts that.
      now = clock.now()
      times.service.record(now - start)
      times.intended.record(now - due)
      operations += 1
      due = arrivals.next()
    }
    if !schedule.isEndless { count(&arrivals, from: due, before: lastDue, at: now, in: &times) }
    return (operations, now)
  }

  private static func count(
    _ arrivals: inout ArrivalSchedule.Arrivals, from first: Int, before end: Int, at now: Int,
    in times: inout OpenLoopTimes
  ) {
    var due = first
    while due < end {
      times.intended.record(now - due)
      times.backlog += 1
      due = arrivals.next()
    }
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
  struct Arrivals {
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
