/// How throughput grows with threads: *X(n)* = *λ n* ÷ (1 + *σ* (*n* − 1) + *κ n* (*n* − 1)).
///
/// Gunther, "Guerrilla Capacity Planning", 2007: *σ* is the share of the work that waits for others
/// (contention), *κ* what each pair of threads costs for agreeing with each other (coherency). Both are
/// at least 0 here; fitted without that bound, every other measured series gives a negative one, which
/// means nothing.
///
/// *n* ÷ *X* is linear in 1 ÷ *λ*, *σ* ÷ *λ* and *κ* ÷ *λ*: least squares of the relative errors, with the
/// bounds kept by trying which of the two terms are left out and taking the best fit that keeps them.
public struct UniversalScalability: Hashable, Sendable {
  /// What was measured of one number of threads.
  public struct Point: Hashable, Sendable {
    public var threads: Int
    /// Operations in a second, of all threads together.
    public var throughput: Double
    /// What measured it; `nil` if that is not known.
    public var process: Measurement.Process?

    public init(threads: Int, throughput: Double, process: Measurement.Process? = nil) {
      self.threads = threads
      self.throughput = throughput
      self.process = process
    }
  }

  /// *λ*: operations in a second of one thread.
  public let throughputOfOne: Double
  /// *σ*, at least 0.
  public let contention: Double
  /// *κ*, at least 0.
  public let coherency: Double
  /// The most threads that were measured.
  public let measuredThreads: Int

  /// `nil` for fewer than three different numbers of threads, which any curve would fit.
  ///
  /// - Precondition: numbers of threads and throughputs are positive and finite.
  /// - Complexity: O(*n*).
  public init?(of points: [Point]) {
    precondition(
      points.allSatisfy { $0.threads > 0 && $0.throughput > 0 && $0.throughput.isFinite },
      "threads and throughputs are positive")
    guard Set(points.map(\.threads)).count >= 3 else { return nil }
    self.init(LeastSquares(of: points), points.map(\.threads).max() ?? 0)
  }

  /// Of the sums over points of at least three different numbers of threads.
  init?(_ sums: LeastSquares, _ measuredThreads: Int) {
    let fits = [[0, 1, 2], [0, 1], [0, 2], [0]].compactMap { sums.fit(terms: $0) }
    guard let best = fits.min(by: { $0.error < $1.error }) else { return nil }
    throughputOfOne = 1 / best.coefficients[0]
    contention = best.coefficients[1] / best.coefficients[0]
    coherency = best.coefficients[2] / best.coefficients[0]
    self.measuredThreads = measuredThreads
  }

  /// The throughput of so many threads; `nil` beyond twice as many as were measured, of which the fit
  /// knows nothing.
  public func throughput(ofThreads threads: Int) -> Double? {
    guard threads > 0 && threads <= 2 * measuredThreads else { return nil }
    let n = Double(threads)
    return throughputOfOne * n / (1 + contention * (n - 1) + coherency * n * (n - 1))
  }

  /// How many threads do the most together; `nil` if that is beyond twice as many as were measured, or
  /// nowhere.
  public var threadsOfPeak: Int? {
    guard contention < 1, coherency > 0 else { return contention < 1 ? nil : 1 }
    let peak = ((1 - contention) / coherency).squareRoot()
    guard peak <= Double(2 * measuredThreads) else { return nil }
    let below = max(1, Int(peak))
    guard let left = throughput(ofThreads: below), let right = throughput(ofThreads: below + 1)
    else { return below }
    return left >= right ? below : below + 1
  }
}
