extension MemoryLeakMonitor {
  /// Repeats `scenario`, and reports each validated class with more live instances after every
  /// repetition than before it: a leak that may stay below `max` for long.
  ///
  /// For a scenario that should leave nothing behind, such as to open a screen and to close it. The
  /// scenario runs once beforehand, so that instances created once and kept do not count;
  /// long-lived objects do not count either. Instances that other threads create meanwhile disturb
  /// the counts: in concurrent tests, call it inside `withIsolation`.
  ///
  /// - Parameters:
  ///   - loops: The number of counted repetitions; traps below 2. More make growth by chance unlikely.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - scenario: Runs `loops + 1` times.
  /// - Returns: The reports.
  @discardableResult
  public static func growth(
    loops: Int = 5, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column, _ scenario: () throws -> Void
  ) rethrows -> [LeakReport] {
    precondition(loops >= 2, "expected at least 2 loops, since one cannot grow repeatedly")
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

  /// `growth` for a scenario that suspends, with a grace period for late deallocations: a class is
  /// reported if throughout the period at least as many instances are alive as if each repetition
  /// had left one. A task that is cancelled before the period is over reports nothing.
  @discardableResult
  public static func growth(
    loops: Int = 5, grace duration: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ scenario: () async throws -> Void
  ) async rethrows -> [LeakReport] {
    precondition(loops >= 2, "expected at least 2 loops, since one cannot grow repeatedly")
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

  /// The number of live instances of each class, without the long-lived ones.
  private var growingCounts: [(type: AnyClass, count: Int)] {
    liveCountsOfClasses.map { ($0.type, growingCount($0.count, of: $0.type)) }
  }

  private func growingCount(_ liveCount: Int, of type: AnyClass) -> Int {
    // An object that is marked between the two counts is in the second only.
    max(0, liveCount - exemptions.longLivedCount(of: ObjectIdentifier(type)))
  }

  /// Returns the classes that have not shrunk by the end of a grace period. Returns early if none
  /// are left, and none if the task is cancelled, which ends the grace period early.
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
    return reports.map { observations.tell($0, to: reporter) }
  }
}

/// The number of live instances of each class after each repetition.
struct GrowthSeries {
  struct Growth {
    let type: AnyClass
    /// The count before the first repetition, and after each.
    let counts: [Int]
  }

  private var classes: [ObjectIdentifier: Growth] = [:]
  private var samples = 0

  /// Appends a sample; a class that is missing in it has no instance.
  mutating func append(_ liveCounts: [(type: AnyClass, count: Int)]) {
    for sample in liveCounts {
      let identifier = ObjectIdentifier(sample.type)
      var counts = classes[identifier]?.counts ?? []
      counts += repeatElement(0, count: samples - counts.count)
      classes[identifier] = Growth(type: sample.type, counts: counts + [sample.count])
    }
    samples += 1
  }

  /// The classes with more instances in each sample than in the one before, sorted by name.
  var growing: [Growth] {
    classes.values
      .filter { growth in
        growth.counts.count == samples
          && zip(growth.counts, growth.counts.dropFirst()).allSatisfy { $0 < $1 }
      }
      .sorted { TypeName.stable($0.type) < TypeName.stable($1.type) }
  }
}
