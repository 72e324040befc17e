/// The universal scalability law: throughput as a function of the number of threads.
///
/// *X(n)* = *λ n* ÷ (1 + *σ* (*n* − 1) + *κ n* (*n* − 1)), from Gunther, "Guerrilla Capacity
/// Planning", 2007. *σ* is the fraction of the work that is serialized (contention). *κ* is the
/// cost of keeping each pair of threads consistent (coherency). Both are at least 0 here. A fit
/// without that bound has a negative term, which has no meaning, for every second measured series.
///
/// *n* ÷ *X* is linear in 1 ÷ *λ*, *σ* ÷ *λ* and *κ* ÷ *λ*. The fit minimizes the sum of the
/// squared relative errors. To keep the bounds, it omits *σ*, *κ*, both or neither, and takes the
/// best of those of the four fits that are within the bounds.
public struct UniversalScalability: Hashable, Sendable {
  /// One measured throughput.
  public struct Point: Hashable, Sendable {
    /// The number of threads.
    public var threads: Int
    /// The operations per second of all threads together.
    public var throughput: Double
    /// The session that ran the trial, or `nil` if it is unknown.
    public var session: Measurement.Session?

    /// Creates a point.
    public init(threads: Int, throughput: Double, session: Measurement.Session? = nil) {
      self.threads = threads
      self.throughput = throughput
      self.session = session
    }
  }

  /// The term *λ*: the operations per second of one thread.
  public let throughputOfOne: Double
  /// The term *σ*, at least 0.
  public let contention: Double
  /// The term *κ*, at least 0.
  public let coherency: Double
  /// The largest measured number of threads.
  public let measuredThreads: Int

  /// Fits the law to `points`, or returns `nil` for fewer than three different numbers of threads,
  /// which do not determine its three terms.
  ///
  /// - Parameter points: The measured throughputs; traps unless threads and throughputs are
  ///   positive and finite.
  /// - Complexity: O(*n*).
  public init?(of points: [Point]) {
    for point in points {
      guard point.threads > 0 else { fatalError("threads must be positive, got \(point.threads)") }
      guard point.throughput > 0 && point.throughput.isFinite else {
        fatalError("throughput must be positive and finite, got \(point.throughput)")
      }
    }
    guard Set(points.map(\.threads)).count >= 3 else { return nil }
    self.init(LeastSquares(of: points), points.map(\.threads).max() ?? 0)
  }

  /// Fits the law to sums over points with at least three different numbers of threads.
  fileprivate init?(_ sums: LeastSquares, _ measuredThreads: Int) {
    let fits = [[0, 1, 2], [0, 1], [0, 2], [0]].compactMap { sums.fit(terms: $0) }
    guard let best = fits.min(by: { $0.error < $1.error }) else { return nil }
    throughputOfOne = 1 / best.coefficients[0]
    contention = best.coefficients[1] / best.coefficients[0]
    coherency = best.coefficients[2] / best.coefficients[0]
    self.measuredThreads = measuredThreads
  }

  /// Returns the law's throughput for `threads` threads.
  ///
  /// - Returns: `nil` for more than twice `measuredThreads`, where the fit has no evidence.
  public func throughput(ofThreads threads: Int) -> Double? {
    guard threads > 0 && threads <= 2 * measuredThreads else { return nil }
    let n = Double(threads)
    return throughputOfOne * n / (1 + contention * (n - 1) + coherency * n * (n - 1))
  }

  /// The number of threads with the highest throughput, or `nil` if the law has no maximum up to
  /// twice `measuredThreads`.
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

extension UniversalScalability {
  /// Confidence intervals of the terms, by the bootstrap.
  public struct Intervals: Hashable, Sendable {
    /// The interval of *λ*.
    public let throughputOfOne: ClosedRange<Double>
    /// The interval of *σ*.
    public let contention: ClosedRange<Double>
    /// The interval of *κ*.
    public let coherency: ClosedRange<Double>
    /// Whether the bootstrap drew sessions, rather than trials.
    public let isOfSessions: Bool
    private let fits: [UniversalScalability]
    private let bootstrap: Bootstrap

    fileprivate init(
      _ fits: [UniversalScalability], isOfSessions: Bool, _ bootstrap: Bootstrap
    ) {
      throughputOfOne = bootstrap.range(of: fits.map(\.throughputOfOne))
      contention = bootstrap.range(of: fits.map(\.contention))
      coherency = bootstrap.range(of: fits.map(\.coherency))
      self.isOfSessions = isOfSessions
      self.fits = fits
      self.bootstrap = bootstrap
    }

    /// Returns the confidence interval of the law's throughput for `threads` threads.
    ///
    /// - Returns: `nil` for more than twice the measured number of threads.
    public func throughput(ofThreads threads: Int) -> ClosedRange<Double>? {
      let throughputs = fits.compactMap { $0.throughput(ofThreads: threads) }
      return throughputs.count == fits.count ? bootstrap.range(of: throughputs) : nil
    }
  }

  /// Returns confidence intervals of the terms, by fitting resampled points.
  ///
  /// - Parameters:
  ///   - points: The measured throughputs, with the same requirements as for `init(of:)`.
  ///   - bootstrap: The number of samples, and the confidence.
  ///   - generator: The source of the samples.
  /// - Returns: `nil` if a number of threads has fewer than three trials, or there is no fit.
  /// - Complexity: O(`bootstrap.resamples` × *n*).
  public static func intervals(
    of points: [Point], _ bootstrap: Bootstrap = Bootstrap(),
    using generator: inout some RandomNumberGenerator
  ) -> Intervals? {
    let groups = Dictionary(grouping: points, by: \.threads)
    guard groups.count >= 3, let most = groups.keys.max(),
      groups.allSatisfy({ $0.value.count >= 3 })
    else { return nil }
    let units = ScalabilityUnits(of: points)
    var fits: [UniversalScalability] = []
    for _ in 0..<bootstrap.resamples {
      guard let fit = UniversalScalability(units.drawn(using: &generator), most) else { return nil }
      fits.append(fit)
    }
    return Intervals(fits, isOfSessions: units.areSessions, bootstrap)
  }
}

/// The universal scalability law fitted to one contestant's trials at several numbers of threads.
public struct ScalabilityFit: Hashable, Sendable {
  /// The fitted law.
  public let law: UniversalScalability
  /// Confidence intervals, or `nil` if a number of threads has fewer than three trials.
  public let intervals: UniversalScalability.Intervals?
  /// *R²*: the fraction of the throughputs' variance that the law explains, or `nil` if they do not
  /// vary. It is negative for a law that explains less than the mean does.
  public let determination: Double?

  /// How many different numbers of threads a fit needs. Three would prove nothing: the law has
  /// three terms, so it passes through any three points.
  public static let threadCountsNeeded = 4

  /// The throughputs that a fit accepts. No machine is outside this range, and within it the
  /// squares do not overflow.
  private static let throughputs = 1e-100...1e100

  /// Fits the law to `points`.
  ///
  /// Returns `nil` for fewer than `threadCountsNeeded` numbers of threads, and if a throughput is
  /// zero, infinite or not a number.
  ///
  /// - Complexity: O(`bootstrap.resamples` × *n*).
  public init?(
    of points: [UniversalScalability.Point], _ bootstrap: Bootstrap = Bootstrap(),
    using generator: inout some RandomNumberGenerator
  ) {
    guard Set(points.map(\.threads)).count >= Self.threadCountsNeeded,
      points.allSatisfy({ Self.throughputs.contains($0.throughput) }),
      let law = UniversalScalability(of: points)
    else { return nil }
    self.law = law
    determination = Self.determination(of: law, points)
    intervals = UniversalScalability.intervals(of: points, bootstrap, using: &generator)
  }

  private static func determination(
    of law: UniversalScalability, _ points: [UniversalScalability.Point]
  ) -> Double? {
    let mean = points.reduce(0) { $0 + $1.throughput } / Double(points.count)
    let total = points.reduce(0) { $0 + ($1.throughput - mean) * ($1.throughput - mean) }
    let rest = points.reduce(0) { sum, point in
      let error = point.throughput - (law.throughput(ofThreads: point.threads) ?? 0)
      return sum + error * error
    }
    return total > 0 ? 1 - rest / total : nil
  }
}

/// The units that a bootstrap of the universal scalability law draws: sessions if there are enough,
/// otherwise trials.
///
/// The trials of one session, at all numbers of threads, share the placement of its memory and the
/// state of the machine. The bootstrap therefore draws a session with all its trials, and the
/// intervals include the differences between sessions. If there are few sessions, or one lacks a
/// number of threads that another has, the bootstrap draws from the trials of each number of
/// threads, as if sessions did not differ.
private struct ScalabilityUnits {
  let areSessions: Bool
  /// Groups of units; a sample draws from each group as many units as it has.
  private let strata: [[LeastSquares]]

  init(of points: [UniversalScalability.Point]) {
    if let sessions = Self.sessions(of: points) {
      areSessions = true
      strata = [sessions.map { LeastSquares(of: $0) }]
    } else {
      areSessions = false
      strata = Dictionary(grouping: points, by: \.threads).sorted { $0.key < $1.key }
        .map { $0.value.map { LeastSquares(of: [$0]) } }
    }
  }

  /// Draws one sample and returns its sums.
  func drawn(using generator: inout some RandomNumberGenerator) -> LeastSquares {
    var sums = LeastSquares(of: [])
    for units in strata {
      for _ in units { sums.add(units[Int.random(in: units.indices, using: &generator)]) }
    }
    return sums
  }

  /// Returns the points of each session, or `nil` if the bootstrap cannot draw sessions.
  private static func sessions(
    of points: [UniversalScalability.Point]
  ) -> [[UniversalScalability.Point]]? {
    let sessions = Dictionary(grouping: points.filter { $0.session != nil }, by: \.session)
    let isComplete = sessions.values.reduce(0) { $0 + $1.count } == points.count
    let counts = Set(sessions.values.map { Set($0.map(\.threads)) })
    guard isComplete, counts.count == 1, sessions.count >= Bootstrap.valuesNeeded else {
      return nil
    }
    // A dictionary's order differs from run to run, so the sessions are sorted.
    let keys = sessions.keys.compactMap(\.self)
      .sorted { ($0.run, $0.number) < ($1.run, $1.number) }
    return keys.compactMap { sessions[$0] }
  }
}

/// The sums over points that a fit of the universal scalability law needs.
///
/// A bootstrap fits thousands of samples. The points of each unit are summed once; the sums of a
/// sample are the sums of its units.
private struct LeastSquares {
  /// The equation of a point, divided by *n* ÷ *X* so that errors are relative and the left side is
  /// 1.
  private struct Row {
    /// The factors of 1 ÷ *λ*, *σ* ÷ *λ* and *κ* ÷ *λ*.
    let factors: [Double]
    /// The products of all pairs of factors, row by row.
    let products: [Double]

    init(_ point: UniversalScalability.Point) {
      let n = Double(point.threads)
      let weight = point.throughput / n
      let factors = [weight, weight * (n - 1), weight * n * (n - 1)]
      self.factors = factors
      products = factors.flatMap { factor in factors.map { factor * $0 } }
    }
  }

  struct Fit {
    /// The coefficients of 1, *n* − 1 and *n* (*n* − 1); 0 for an omitted term.
    var coefficients: [Double]
    /// The sum of the squared errors.
    var error: Double
  }

  private var factors = [0.0, 0, 0]
  private var products = [Double](repeating: 0, count: 9)
  private var count = 0.0

  init(of points: some Sequence<UniversalScalability.Point>) {
    for point in points { add(Row(point)) }
  }

  private mutating func add(_ row: Row) {
    for index in factors.indices { factors[index] += row.factors[index] }
    for index in products.indices { products[index] += row.products[index] }
    count += 1
  }

  /// Adds the sums of `other`, with the same effect as adding its points one by one.
  mutating func add(_ other: LeastSquares) {
    for index in factors.indices { factors[index] += other.factors[index] }
    for index in products.indices { products[index] += other.products[index] }
    count += other.count
  }

  /// Returns the best fit with only the given terms, or `nil` if that fit is not within the bounds.
  func fit(terms: [Int]) -> Fit? {
    // Scaling makes the columns about equally large, for throughputs of any magnitude.
    let scales = terms.map { products[4 * $0].squareRoot() }
    guard scales.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
    let matrix = zip(terms, scales).map { row, height in
      zip(terms, scales).map { column, width in products[3 * row + column] / height / width }
    }
    let right = zip(terms, scales).map { factors[$0] / $1 }
    guard let solution = Self.solve(matrix, right) else { return nil }
    guard solution[0] > 0, solution.allSatisfy({ $0 >= 0 }) else { return nil }
    var coefficients = [0.0, 0, 0]
    for (index, term) in terms.enumerated() { coefficients[term] = solution[index] / scales[index] }
    // At the minimum, the residuals are orthogonal to the fitted values.
    let error = count - zip(solution, right).reduce(0) { $0 + $1.0 * $1.1 }
    return Fit(coefficients: coefficients, error: error)
  }

  /// Solves the equations by Gaussian elimination with pivoting; returns `nil` for a singular
  /// matrix.
  private static func solve(_ matrix: [[Double]], _ right: [Double]) -> [Double]? {
    var rows = zip(matrix, right).map { $0 + [$1] }
    let count = rows.count
    for column in 0..<count {
      let pivot = (column..<count).max { abs(rows[$0][column]) < abs(rows[$1][column]) }
      guard let pivot, abs(rows[pivot][column]) > 1e-12 else { return nil }
      rows.swapAt(column, pivot)
      for row in 0..<count where row != column {
        let factor = rows[row][column] / rows[column][column]
        for index in column...count { rows[row][index] -= factor * rows[column][index] }
      }
    }
    return (0..<count).map { rows[$0][count] / rows[$0][$0] }
  }
}
