extension MemoryLeakMonitor {
  /// Which instances are recorded for reports to list; `.standard` unless changed. Takes effect for the
  /// next ones.
  public var sampling: Sampling {
    get { observations.sampler.sampling }
    set { observations.sampler.sampling = newValue }
  }

  /// The current monitor's.
  public static var sampling: Sampling {
    get { current.sampling }
    set { current.sampling = newValue }
  }

  /// What the monitor itself has cost so far.
  ///
  /// - Complexity: O(*n*) in the classes with tokens.
  public var cost: MonitorCost { observations.cost }
}
