extension MemoryLeakMonitor {
  /// Whether reports say who holds what lives on; `.standard` unless changed. Takes effect for the next report. To
  /// set a timeout of no time traps.
  public var retainPaths: RetainPaths {
    get { observations.retainSettings.paths }
    set { observations.retainSettings.paths = newValue }
  }

  /// The current monitor's.
  public static var retainPaths: RetainPaths {
    get { current.retainPaths }
    set { current.retainPaths = newValue }
  }

  /// Has searches for who holds an object begin at `object` too, if no running task and no cycle holds it: at what
  /// lives as long as the program, such as the environment of its screens. Tests with retain paths use those of the
  /// current monitor.
  ///
  /// It is held weakly, and no root any more once it is gone. Paths call it by its name; another object of that name
  /// takes its place.
  public func addRoot(_ name: String, _ object: AnyObject) {
    observations.retainSettings.addRoot(name, object)
  }

  /// `addRoot` of the current monitor.
  public static func addRoot(_ name: String, _ object: AnyObject) {
    current.addRoot(name, object)
  }

  /// Finds who holds the first few objects that it is asked about, as far as paths are `shown`; nil if they are not, or
  /// if one is gone.
  package func holderSearch(showing paths: RetainPaths) -> HolderSearch {
    observations.retainSettings.holderSearch(showing: paths)
  }
}
