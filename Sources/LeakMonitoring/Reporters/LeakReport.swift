// Users of this module read reports with it alone.
@_exported public import LeakReports
public import RuntimeInspection

/// What a check of the monitor found.
public struct LeakReport: Sendable {
  /// Whether it is a leak, and if not why it is told.
  public var state: LeakState
  /// What was seen.
  public var finding: LeakFinding
  /// The class with its module, as in "App.Session"; the same in every run.
  public var typeName: String
  /// What the instance that was one too many calls itself; with a grace period, the one whose validation
  /// began the check.
  public var description: String
  /// How many instances lived, that one included.
  public var liveCount: Int
  /// How many the class allows.
  public var max: Int
  /// Where that instance was validated or was expected to die.
  public var site: CallSite
  /// The instances that live, the oldest first, as far as they are known one by one.
  public var survivors: [LeakSurvivor]
  /// How many lived when, as far as that was noted, the oldest first; the last sample is of this report.
  public var history: [CountSample]
  /// The group whose instances were too many, for what is counted by groups.
  public var group: String?
  /// What the monitor cost until this report; nil if it is not known.
  public var monitorCost: MonitorCost?

  /// From what the monitor completes it.
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

  /// What to report when what this reported is gone.
  var resolvedLate: LeakReport {
    var report = self
    report.state = .late
    return report
  }
}

extension LeakRecord {
  /// What a file holds of `leak`, reported at that time.
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
  /// What identifies the leak that `leak` reports.
  public init(of leak: LeakReport) {
    self.init(leak.finding, typeName: leak.typeName, group: leak.group)
  }
}

/// An instance that is alive, in a report of a leak.
public struct LeakSurvivor: Sendable {
  /// Its class with its module, as in "App.Session"; the same in every run.
  public var typeName: String
  /// What it calls itself, or its class's name.
  public var description: String
  /// How long ago it was validated, or its token made; else, how long ago it was expected to be gone.
  public var age: Duration
  /// Where it was validated, or its token made; else, where it was expected to be gone.
  public var site: CallSite?
  /// Who called that; nil if it was not sampled.
  public var backtrace: CreationBacktrace?
  /// Who holds it; nil if nobody looked, since `RetainPaths` are hidden or it is none of the oldest. Of objects with
  /// tokens that is not known.
  public var retainFinding: RetainFinding?

  /// How it is held, if that was looked for and found.
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

/// The calls that made an object, without the monitor's own.
public struct CreationBacktrace: Sendable {
  private let symbolicate: @Sendable () -> [String]

  /// - Parameter symbolicate: gives a line for each call, the innermost first.
  public init(_ symbolicate: @escaping @Sendable () -> [String]) {
    self.symbolicate = symbolicate
  }

  /// A line for each call, the innermost first, as in "Session.init() at Session.swift:8".
  ///
  /// - Complexity: slow, since only now are the names looked up in the program's debug information:
  ///   milliseconds, and with a large program more than a second at first.
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
