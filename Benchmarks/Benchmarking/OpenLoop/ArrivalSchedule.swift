import Measurements
import Workloads

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
