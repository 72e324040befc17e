extension MemoryLeakMonitor {
  /// How many validated instances of each class live, by the class's name as reports have it; private
  /// classes of one name are taken together.
  ///
  /// - Complexity: O(*n*) in the entries of all classes.
  public var liveCounts: [String: Int] {
    Dictionary(
      ledger.liveCounts().map { (TypeName.stable($0.type), $0.count) }, uniquingKeysWith: +)
  }
}
