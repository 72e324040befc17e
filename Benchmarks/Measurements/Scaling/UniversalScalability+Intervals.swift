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
