// A module that imports LeakMonitoring reads report files without another import.
@_exported public import LeakReports
public import RuntimeInspection

/// A report of a leak, or of an exempt finding.
public struct LeakReport: Sendable {
  /// Whether the finding is a leak, or why not.
  public var state: LeakState
  /// What the check observed.
  public var finding: LeakFinding
  /// The class with its module, as in "App.Session"; the same in every run.
  public var typeName: String
  /// The description of the instance in excess; with a grace period, of the one whose validation
  /// began the check.
  public var description: String
  /// The number of live instances, including that one.
  public var liveCount: Int
  /// The number that the class allows.
  public var max: Int
  /// Where that instance was validated or expected to be deallocated.
  public var site: CallSite
  /// The live instances that were recorded, the oldest first.
  public var survivors: [LeakSurvivor]
  /// The recorded live counts, the oldest first; the last sample is of this report.
  public var history: [CountSample]
  /// The group with the excess, if a group is counted.
  public var group: String?
  /// The cost of the monitor until this report; nil if it is unknown.
  public var monitorCost: MonitorCost?

  /// The source from which the monitor completes the report.
  var subject: LeakSubject?

  public init(
    state: LeakState = .leaked, finding: LeakFinding = .excess(after: nil), typeName: String,
    description: String, liveCount: Int, max: Int, site: CallSite, survivors: [LeakSurvivor] = [],
    history: [CountSample] = [], group: String? = nil, monitorCost: MonitorCost? = nil
  ) {
    self.state = state
    self.finding = finding
    self.typeName = typeName
    self.description = description
    self.liveCount = liveCount
    self.max = max
    self.site = site
    self.survivors = survivors
    self.history = history
    self.group = group
    self.monitorCost = monitorCost
  }

  /// The report of a late deallocation of these objects.
  var resolvedLate: LeakReport {
    var report = self
    report.state = .late
    return report
  }
}

/// A live instance in a report.
public struct LeakSurvivor: Sendable {
  /// The class with its module, as in "App.Session"; the same in every run.
  public var typeName: String
  /// The description of the instance, or its class's name.
  public var description: String
  /// The time since it was validated or its token created, or else since it was expected to be
  /// deallocated.
  public var age: Duration
  /// Where it was validated or its token created, or else where it was expected to be deallocated.
  public var site: CallSite?
  /// The calls that led there; nil if the instance was not sampled.
  public var backtrace: CreationBacktrace?
  /// What holds the instance; nil if the monitor did not search, since `RetainPaths` are hidden,
  /// the instance is not one of the oldest, or it has a token.
  public var retainFinding: RetainFinding?

  /// The path from what holds the instance, if a search found one.
  public var retainPath: RetainPath? { retainFinding?.path }

  public init(
    typeName: String, description: String, age: Duration, site: CallSite? = nil,
    backtrace: CreationBacktrace? = nil, retainFinding: RetainFinding? = nil
  ) {
    self.typeName = typeName
    self.description = description
    self.age = age
    self.site = site
    self.backtrace = backtrace
    self.retainFinding = retainFinding
  }
}

/// The calls that created an object, without the monitor's own.
public struct CreationBacktrace: Sendable {
  private let symbolicate: @Sendable () -> [String]

  /// - Parameter symbolicate: Returns a line for each call, the innermost first.
  public init(_ symbolicate: @escaping @Sendable () -> [String]) {
    self.symbolicate = symbolicate
  }

  /// A line for each call, the innermost first, as in "Session.init() at Session.swift:8".
  ///
  /// - Complexity: Slow, because it looks up names in the program's debug information:
  ///   milliseconds, and at first more than a second for a large program.
  public var frames: [String] { symbolicate() }
}

/// A place in the source, as the compiler's `#fileID`, `#filePath`, `#line` and `#column` give it.
public struct CallSite: Sendable {
  public var fileID: StaticString
  public var filePath: StaticString
  public var line: UInt
  public var column: UInt

  public init(fileID: StaticString, filePath: StaticString, line: UInt, column: UInt) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }
}

// MARK: - Reports in files

extension LeakRecord {
  /// Creates the record of `leak`, with the time of the report.
  public init(_ leak: LeakReport, millisecondsSince1970: Int) {
    self.init(
      millisecondsSince1970: millisecondsSince1970, state: leak.state, finding: leak.finding,
      typeName: leak.typeName, description: leak.description, group: leak.group,
      liveCount: leak.liveCount, max: leak.max, fileID: "\(leak.site.fileID)",
      line: Int(leak.site.line), column: Int(leak.site.column), message: leak.message,
      history: leak.history,
      survivors: leak.survivors.prefix(Self.mostSurvivors).map(Survivor.init),
      cost: leak.monitorCost)
  }
}

extension LeakRecord.Survivor {
  fileprivate init(_ survivor: LeakSurvivor) {
    self.init(
      typeName: survivor.typeName, age: survivor.age,
      fileID: survivor.site.map { "\($0.fileID)" }, line: survivor.site.map { Int($0.line) },
      path: survivor.retainPath)
  }
}

extension LeakFingerprint {
  /// Creates the fingerprint of `leak`.
  public init(of leak: LeakReport) {
    self.init(leak.finding, typeName: leak.typeName, group: leak.group)
  }
}
