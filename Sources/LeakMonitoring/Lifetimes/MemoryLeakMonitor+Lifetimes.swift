extension MemoryLeakMonitor {
  /// How many instances of exactly this class live that have a `LifetimeToken` of this monitor.
  ///
  /// - Complexity: O(1).
  public func lifetimeCount(of type: AnyClass) -> Int {
    observations.lifetimes.counter(of: type)?.count.liveCount ?? 0
  }

  /// How many instances of the classes of a group live.
  ///
  /// - Complexity: O(1).
  public func lifetimeCount(ofGroup name: String) -> Int {
    observations.lifetimes.group(name)?.count.liveCount ?? 0
  }

  /// Counts an instance that is being made, and reports if it is one too many.
  func noteBirth(
    of type: AnyClass, _ configuration: () -> LifetimeConfiguration, at site: CallSite
  ) -> LifetimeBirth {
    let (birth, counts) = observations.noteBirth(of: type, configuration, at: site)
    let counter = birth.counter
    if let max = counter.max, counts.liveCount > max {
      noteExcess(of: counter, group: nil, liveCount: counts.liveCount, max: max, at: site)
    }
    if let group = counter.group, let max = group.max, let liveCount = counts.groupCount,
      liveCount > max
    {
      noteExcess(of: counter, group: group, liveCount: liveCount, max: max, at: site)
    }
    return birth
  }

  /// - Parameter group: the group of the class, if it is its instances that are too many.
  private func noteExcess(
    of counter: LifetimeCounter, group: LifetimeGroup?, liveCount: Int, max: Int, at site: CallSite
  ) {
    let grace = policy.grace
    var report = LeakReport(
      finding: .excess(after: grace), typeName: TypeName.stable(counter.type),
      description: TypeName.short(counter.type), liveCount: liveCount, max: max, site: site,
      group: group?.name)
    report.subject = observations.subject(counter, group: group)
    noteExcess(
      report, of: group.map { ObjectIdentifier($0) } ?? ObjectIdentifier(counter.type),
      suspicions: observations.suspicions, grace: grace,
      // Looked up each time: what `removeAll` forgets is counted no more.
      count: { [lifetimes = observations.lifetimes] _ in
        let count =
          if let group { lifetimes.group(group.name)?.count.liveCount } else {
            lifetimes.counter(of: counter.type)?.count.liveCount
          }
        return count ?? 0
      })
  }
}
