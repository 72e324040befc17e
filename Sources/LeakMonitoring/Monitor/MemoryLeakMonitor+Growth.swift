extension MemoryLeakMonitor {
  /// Repeats `scenario`, and reports each validated class of which more instances live after every
  /// repetition than before it: a leak that may stay below `max` for long.
  ///
  /// For what should leave nothing behind, such as to open a screen and to close it. The scenario runs once
  /// before, so that what is made once and kept does not count; nor do objects marked as long-lived. Others
  /// who make instances meanwhile may disturb: in tests that run at once, call it inside `withIsolation`. Traps
  /// unless there are at least 2 loops; more make chance growth unlikely.
  ///
  /// - Returns: what was reported.
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

  /// `growth` of a scenario that suspends, with a grace period for what dies late: it is reported if
  /// during all of the period at least as many live as if each repetition had left one. A task that is
  /// cancelled before the period is over reports nothing.
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

  /// How many instances of each class live, but for long-lived ones: those hide nothing, and do not grow.
  private var growingCounts: [(type: AnyClass, count: Int)] {
    liveCountsOfClasses.map { ($0.type, growingCount($0.count, of: $0.type)) }
  }

  private func growingCount(_ liveCount: Int, of type: AnyClass) -> Int {
    // One that is marked between the two counts is in the second alone.
    max(0, liveCount - exemptions.longLivedCount(of: ObjectIdentifier(type)))
  }

  /// Those that have not shrunk by the end of a grace period; ends early if none are left, and with none
  /// if the task is cancelled, since then there was no grace.
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

/// How many instances of each class lived at the ends of repetitions.
struct GrowthSeries {
  struct Growth {
    let type: AnyClass
    /// Before the first repetition, and after each.
    let counts: [Int]
  }

  private var classes: [ObjectIdentifier: Growth] = [:]
  private var samples = 0

  /// Appends a sample; a class that is not in it has no instance.
  mutating func append(_ liveCounts: [(type: AnyClass, count: Int)]) {
    for sample in liveCounts {
      let identifier = ObjectIdentifier(sample.type)
      var counts = classes[identifier]?.counts ?? []
      counts += repeatElement(0, count: samples - counts.count)
      classes[identifier] = Growth(type: sample.type, counts: counts + [sample.count])
    }
    samples += 1
  }

  /// The classes that had more instances in each sample than in the one before, by name.
  var growing: [Growth] {
    classes.values
      .filter { growth in
        growth.counts.count == samples
          && zip(growth.counts, growth.counts.dropFirst()).allSatisfy { $0 < $1 }
      }
      .sorted { TypeName.stable($0.type) < TypeName.stable($1.type) }
  }
}
