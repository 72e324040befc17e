extension MemoryLeakMonitor {
  /// How many instances of each class live that were validated or have a `LifetimeToken`, by the class's name as
  /// reports have it; of a class that has both, as many as the one or the other says. Private classes of one
  /// name are taken together.
  ///
  /// - Complexity: O(*n*) in the entries of all classes.
  public var liveCounts: [String: Int] {
    Dictionary(
      liveCountsOfClasses.map { (TypeName.stable($0.type), $0.count) }, uniquingKeysWith: +)
  }

  /// The same, by class.
  var liveCountsOfClasses: [(type: AnyClass, count: Int)] {
    let tokens = observations.lifetimes.all.map { (type: $0.type, count: $0.count.liveCount) }
    let counts = (ledger.liveCounts() + tokens).map { (ObjectIdentifier($0.type), $0) }
    return Array(Dictionary(counts) { $0.count < $1.count ? $1 : $0 }.values)
  }
}
