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
  fileprivate init?(_ sums: LeastSquares, _ measuredThreads: Int) {
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

extension UniversalScalability {
  /// Where the terms lie with the bootstrap's confidence.
  public struct Intervals: Hashable, Sendable {
    public let throughputOfOne: ClosedRange<Double>
    public let contention: ClosedRange<Double>
    public let coherency: ClosedRange<Double>
    /// Whether processes were drawn rather than trials.
    public let isOfProcesses: Bool
    private let fits: [UniversalScalability]
    private let bootstrap: Bootstrap

    fileprivate init(
      _ fits: [UniversalScalability], isOfProcesses: Bool, _ bootstrap: Bootstrap
    ) {
      throughputOfOne = bootstrap.range(of: fits.map(\.throughputOfOne))
      contention = bootstrap.range(of: fits.map(\.contention))
      coherency = bootstrap.range(of: fits.map(\.coherency))
      self.isOfProcesses = isOfProcesses
      self.fits = fits
      self.bootstrap = bootstrap
    }

    /// Where the law's throughput of so many threads lies; `nil` beyond twice as many as were measured.
    public func throughput(ofThreads threads: Int) -> ClosedRange<Double>? {
      let throughputs = fits.compactMap { $0.throughput(ofThreads: threads) }
      return throughputs.count == fits.count ? bootstrap.range(of: throughputs) : nil
    }
  }

  /// Draws what was measured again and fits that; `nil` if a number of threads has fewer than three
  /// trials, or the fit is `nil`.
  ///
  /// - Precondition: as for `init(of:)`.
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
    return Intervals(fits, isOfProcesses: units.areProcesses, bootstrap)
  }
}

/// The universal scalability law fitted to one contestant's trials at several numbers of threads.
public struct ScalabilityFit: Hashable, Sendable {
  public let law: UniversalScalability
  /// `nil` if a number of threads has fewer than three trials.
  public let intervals: UniversalScalability.Intervals?
  /// *R²*: the part of the throughputs' variance that the law explains; `nil` if they do not vary. A law
  /// that explains less than their mean does has a negative one.
  public let determination: Double?

  /// The law has three terms, and goes through any three points.
  public static let threadCountsNeeded = 4

  /// Outside of these no machine is, and squares would leave the numbers that there are.
  private static let throughputs = 1e-100...1e100

  /// `nil` for fewer numbers of threads than are needed, and where a throughput is nothing or none.
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

/// The units that a bootstrap of the universal scalability law draws: processes if there are many, else
/// trials.
///
/// The trials of one process share where its memory lies and what the machine was doing, at every number of
/// threads. So a process is drawn with all of them, and what processes differ by is in the intervals. Where
/// there are few, or one lacks a number of threads that another has, the trials of each number of threads
/// are drawn, as if processes did not differ.
private struct ScalabilityUnits {
  let areProcesses: Bool
  /// Each is drawn from as often as it has units.
  private let strata: [[LeastSquares]]

  init(of points: [UniversalScalability.Point]) {
    if let processes = Self.processes(of: points) {
      areProcesses = true
      strata = [processes.map { LeastSquares(of: $0) }]
    } else {
      areProcesses = false
      strata = Dictionary(grouping: points, by: \.threads).sorted { $0.key < $1.key }
        .map { $0.value.map { LeastSquares(of: [$0]) } }
    }
  }

  /// The sums of one sample.
  func drawn(using generator: inout some RandomNumberGenerator) -> LeastSquares {
    var sums = LeastSquares(of: [])
    for units in strata {
      for _ in units { sums.add(units[Int.random(in: units.indices, using: &generator)]) }
    }
    return sums
  }

  /// `nil` where they cannot be drawn.
  private static func processes(
    of points: [UniversalScalability.Point]
  ) -> [[UniversalScalability.Point]]? {
    let processes = Dictionary(grouping: points.filter { $0.process != nil }, by: \.process)
    let isComplete = processes.values.reduce(0) { $0 + $1.count } == points.count
    let counts = Set(processes.values.map { Set($0.map(\.threads)) })
    guard isComplete, counts.count == 1, processes.count >= Bootstrap.valuesNeeded else {
      return nil
    }
    // In an order that does not change from run to run.
    let keys = processes.keys.compactMap(\.self)
      .sorted { ($0.run, $0.fork) < ($1.run, $1.fork) }
    return keys.compactMap { processes[$0] }
  }
}

/// The sums over points that a fit of the universal scalability law needs.
///
/// A bootstrap fits thousands of samples. Each unit that it draws is summed once, and sums add up.
private struct LeastSquares {
  /// A point divided by its *n* ÷ *X*: so errors are relative, and the left side is 1.
  private struct Row {
    /// What stands before 1 ÷ *λ*, *σ* ÷ *λ* and *κ* ÷ *λ*.
    let factors: [Double]
    /// Of each factor with each, row by row.
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
    /// Of 1, *n* − 1 and *n* (*n* − 1); 0 for a term left out.
    var coefficients: [Double]
    /// The sum of the squares.
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

  /// As if the points of the other had been added one by one.
  mutating func add(_ other: LeastSquares) {
    for index in factors.indices { factors[index] += other.factors[index] }
    for index in products.indices { products[index] += other.products[index] }
    count += other.count
  }

  /// The best fit with these terms alone; `nil` if it breaks a bound.
  func fit(terms: [Int]) -> Fit? {
    // Columns of about the same size, whatever the throughputs are.
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
    // At the least, the residuals stand at a right angle on what was fitted.
    let error = count - zip(solution, right).reduce(0) { $0 + $1.0 * $1.1 }
    return Fit(coefficients: coefficients, error: error)
  }

  /// Gauss's elimination with pivots; `nil` if the matrix is singular.
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
