extension MemoryLeakMonitor {
  /// Repeats a scenario, and reports each class that has more live instances after every repetition
  /// than before it. Such a leak may stay below `max` for a long time.
  ///
  /// Use it with a scenario that should leave no object behind, such as opening and closing a
  /// screen. The scenario runs once before the counts begin, so instances that it creates once and
  /// keeps do not count. Long-lived objects do not count either. Instances that other threads
  /// create meanwhile distort the counts: in concurrent tests, call this inside `withIsolation`.
  ///
  /// - Parameters:
  ///   - loops: The number of counted repetitions. More repetitions make growth by chance unlikely.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - scenario: Runs `loops + 1` times.
  /// - Returns: The reports, which the monitor's reporter has received.
  /// - Precondition: `loops` is at least 2.
  @discardableResult
  public static func growth(
    loops: Int = 5, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column, _ scenario: () throws -> Void
  ) rethrows -> [LeakReport] {
    requireRepetition(loops)
    let monitor = current
    var series = GrowthSeries()
    for _ in 0...loops {
      try scenario()
      series.append(monitor.growingCounts)
    }
    return monitor.report(
      series.growing,
      at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Repeats an asynchronous scenario, and reports each class that grew with every repetition and
  /// did not shrink during a grace period.
  ///
  /// The grace period allows for late deallocations. The function reports a class only if, at every
  /// poll of the period, the class has at least `loops` more instances than before the first
  /// counted repetition: as many as if each repetition had left one behind. If the task is
  /// cancelled during the period, the function reports no class.
  ///
  /// - Parameters:
  ///   - loops: The number of counted repetitions. More repetitions make growth by chance unlikely.
  ///   - duration: The grace period after the last repetition.
  ///   - isolation: The isolation of the caller, in which the scenario runs.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - scenario: Runs `loops + 1` times.
  /// - Returns: The reports, which the monitor's reporter has received.
  /// - Precondition: `loops` is at least 2.
  @discardableResult
  public static func growth(
    loops: Int = 5, grace duration: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ scenario: () async throws -> Void
  ) async rethrows -> [LeakReport] {
    requireRepetition(loops)
    let monitor = current
    var series = GrowthSeries()
    for _ in 0...loops {
      try await scenario()
      series.append(monitor.growingCounts)
    }
    let growing = await monitor.lasting(series.growing, grace: duration, isolation: isolation)
    return monitor.report(
      growing, at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Traps unless there are enough repetitions to distinguish growth from a single difference.
  private static func requireRepetition(_ loops: Int) {
    guard loops >= 2 else {
      fatalError("growth(loops:) cannot detect growth with loops: \(loops); pass at least 2")
    }
  }

  /// The number of live instances of each class, without the long-lived ones.
  private var growingCounts: [(type: AnyClass, count: Int)] {
    liveCountsOfClasses.map { ($0.type, growingCount($0.count, of: $0.type)) }
  }

  private func growingCount(_ liveCount: Int, of type: AnyClass) -> Int {
    // Not below zero: an object that is marked as long-lived after the first count is only in the
    // second one.
    max(0, liveCount - exemptions.longLivedCount(of: ObjectIdentifier(type)))
  }

  /// Suspends for a grace period and returns the classes that have not shrunk.
  ///
  /// Returns early if every class has shrunk. If the task is cancelled, the grace period ends
  /// early, and the result is empty.
  private func lasting(
    _ growing: [GrowthSeries.Growth], grace duration: Duration, isolation: isolated (any Actor)?
  ) async -> [GrowthSeries.Growth] {
    let clock = checks.clock
    var growing = growing
    var grace = Grace(duration, from: clock.now())
    while !growing.isEmpty {
      guard (try? await clock.sleep(grace.interval)) != nil else { return [] }
      growing.removeAll { growth in
        growingCount(
          max(liveCount(of: growth.type), lifetimeCount(of: growth.type)), of: growth.type)
          < growth.counts[0] + growth.counts.count - 1
      }
      if grace.poll(at: clock.now()) { break }
    }
    return growing
  }

  private func report(_ growing: [GrowthSeries.Growth], at site: CallSite) -> [LeakReport] {
    let reports = growing.map { growth in
      let (first, last) = (growth.counts.first!, growth.counts.last!)
      var report = LeakReport(
        finding: .growth(growth.counts), typeName: TypeName.stable(growth.type),
        description: TypeName.short(growth.type), liveCount: last, max: first, site: site)
      report.subject = LeakSubject(book: observations.book(of: growth.type))
      return exemptions.judge(report, of: ObjectIdentifier(growth.type), longLived: 0)
    }
    return reports.map { observations.report($0, to: reporter) }
  }
}

/// The number of live instances of each class after each repetition.
struct GrowthSeries {
  struct Growth {
    let type: AnyClass
    /// The count before the first repetition, then the count after each.
    let counts: [Int]
  }

  private var classes: [ObjectIdentifier: Growth] = [:]
  private var samples = 0

  /// Appends a sample: the counts after one repetition. A class that the sample does not mention
  /// has no instances.
  mutating func append(_ liveCounts: [(type: AnyClass, count: Int)]) {
    for sample in liveCounts {
      let identifier = ObjectIdentifier(sample.type)
      var counts = classes[identifier]?.counts ?? []
      counts += repeatElement(0, count: samples - counts.count)
      classes[identifier] = Growth(type: sample.type, counts: counts + [sample.count])
    }
    samples += 1
  }

  /// The classes with more instances in each sample than in the previous one, sorted by name.
  var growing: [Growth] {
    classes.values
      .filter { growth in
        growth.counts.count == samples
          && zip(growth.counts, growth.counts.dropFirst()).allSatisfy { $0 < $1 }
      }
      .sorted { TypeName.stable($0.type) < TypeName.stable($1.type) }
  }
}
