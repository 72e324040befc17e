extension MemoryLeakMonitor {
  /// Allows `count` leaked instances of a class that is known to leak: that many more than its `max`, and
  /// that many survivors, are reported as `.allowed`, which `.standard` keeps to itself. 0 takes it back.
  ///
  /// The class's `max` says what is right; an allowance what is wrong and known.
  public func allowLeaks(of type: AnyClass, upTo count: Int) {
    exemptions.allow(count, of: ObjectIdentifier(type))
  }

  /// Marks an object that shall live as long as the program: it does not count against its class's `max`,
  /// and is reported as `.longLived`, which `.standard` keeps to itself, where it would be as a leak.
  ///
  /// - Complexity: O(1) amortised.
  public func markLongLived(_ object: AnyObject) {
    guard Self.isEnabled else { return }
    // Entered as if validated, so that it can be taken from the count.
    _ = ledger.add(object, .max)
    exemptions.markLongLived(object)
  }

  /// Whether an object was marked as long-lived.
  package func isLongLived(_ object: AnyObject) -> Bool { exemptions.isLongLived(object) }

  /// `allowLeaks` of the current monitor.
  public static func allowLeaks(of type: AnyClass, upTo count: Int) {
    current.allowLeaks(of: type, upTo: count)
  }

  /// `markLongLived` of the current monitor.
  public static func markLongLived(_ object: AnyObject) {
    current.markLongLived(object)
  }
}
