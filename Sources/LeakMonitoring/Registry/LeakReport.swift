// Exported, so that a module that imports LeakMonitoring can read report files without a second
// import.
@_exported public import LeakReports
public import RuntimeInspection

/// The report of a leak, of its late deallocation, or of an exempt finding.
public struct LeakReport: Sendable {
  /// Whether the finding is a leak, and if not, why.
  public var state: LeakState
  /// The kind of leak that the check found, with its numbers.
  public var finding: LeakFinding
  /// The class with its module, as in "App.Session"; the same in every run.
  public var typeName: String
  /// The description of the instance in excess.
  ///
  /// With a grace period, it is the instance whose validation began the check.
  public var description: String
  /// The number of live instances, including the one in excess.
  public var liveCount: Int
  /// The number of live instances that the class or group allows.
  public var max: Int
  /// The place where the instance was validated or expected to be deallocated.
  public var site: CallSite
  /// The live instances that the monitor recorded, oldest first.
  public var survivors: [LeakSurvivor]
  /// The recorded live counts, oldest first; the last sample belongs to this report.
  public var history: [CountSample]
  /// The group with the excess; nil if the excess is of a class.
  public var group: String?
  /// The cost of the monitor until this report; nil if it is unknown.
  public var monitorCost: MonitorCost?

  /// The source from which the monitor completes the report.
  var subject: LeakSubject?

  /// Creates a report with the given properties, for a test of a reporter.
  ///
  /// - Parameters:
  ///   - state: Whether the finding is a leak, and if not, why.
  ///   - finding: The observation of the check.
  ///   - typeName: The class with its module, as in "App.Session".
  ///   - description: The description of the instance.
  ///   - liveCount: The number of live instances.
  ///   - max: The number of live instances that the class or group allows.
  ///   - site: The place where the instance was validated or expected to be deallocated.
  ///   - survivors: The recorded live instances, oldest first.
  ///   - history: The recorded live counts, oldest first.
  ///   - group: The group with the excess; nil if the excess is of a class.
  ///   - monitorCost: The cost of the monitor until this report; nil if it is unknown.
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

  /// The report of a late deallocation of the same objects.
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
  /// The description of the instance; its class's name without the module by default.
  public var description: String
  /// The time since the instance was validated or its token created.
  ///
  /// For an instance without either, the time since it was expected to be deallocated.
  public var age: Duration
  /// The place where the instance was validated or its token created.
  ///
  /// For an instance without either, the place where it was expected to be deallocated.
  public var site: CallSite?
  /// The calls that led to that place; nil if the instance was not sampled.
  public var backtrace: CreationBacktrace?
  /// The result of a search for the holder of the instance; nil if the monitor did not search.
  ///
  /// A monitor does not search if `RetainPaths` are hidden, if the report is not a failure, if the
  /// instance is not one of the oldest, if the monitor counted it by a token, or after a search for
  /// an older instance has failed.
  public var retainFinding: RetainFinding?

  /// The retain path of the instance; nil if no search found one.
  public var retainPath: RetainPath? { retainFinding?.path }

  /// Creates a survivor with the given properties, for a test of a reporter.
  ///
  /// - Parameters:
  ///   - typeName: The class with its module, as in "App.Session".
  ///   - description: The description of the instance.
  ///   - age: The time since the instance was validated or its token created.
  ///   - site: The place where the instance was validated or its token created.
  ///   - backtrace: The calls that led to that place.
  ///   - retainFinding: The result of a search for the holder of the instance.
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

/// The calls that created an object, without the monitor's own calls.
public struct CreationBacktrace: Sendable {
  private let symbolicate: @Sendable () -> [String]

  /// Creates a backtrace.
  ///
  /// - Parameter symbolicate: Returns a line for each call, innermost first. Each use of `frames`
  ///   calls the closure.
  public init(_ symbolicate: @escaping @Sendable () -> [String]) {
    self.symbolicate = symbolicate
  }

  /// A line for each call, innermost first, as in "Session.init() at Session.swift:8".
  ///
  /// - Complexity: Slow: each use looks up names in the program's debug information. The first use
  ///   also reads that information, which takes longer for larger programs.
  public var frames: [String] { symbolicate() }
}

/// A place in the source: the values of `#fileID`, `#filePath`, `#line` and `#column`.
public struct CallSite: Sendable {
  /// The module and the file, as in "App/Session.swift".
  public var fileID: StaticString
  /// The path of the file.
  public var filePath: StaticString
  /// The line, from 1.
  public var line: UInt
  /// The column, from 1.
  public var column: UInt

  /// Creates a place from the values of `#fileID`, `#filePath`, `#line` and `#column`.
  public init(fileID: StaticString, filePath: StaticString, line: UInt, column: UInt) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }
}

// MARK: - Message

extension LeakReport {
  /// The report on one line, for people: what leaked, how many, and the likely line to change.
  public var message: String {
    switch state {
    case .leaked: "\(description): \(observation)\(advice)"
    case .retainedByRunningTask:
      "\(description): \(observation), retained by a running task\(advice)"
    case .late: "\(description): \(resolution) after the grace period"
    case .allowed: "\(description): \(observation) (allowed)"
    case .longLived: "\(description): \(observation) (long-lived)"
    }
  }

  private var observation: String {
    switch finding {
    case .excess(nil): excess
    case .excess(let duration?): "\(excess), still after \(duration)"
    case .survivor(let duration):
      "an instance of \(typeName) is alive, expected to be gone within \(duration)"
    case .growth(let counts):
      "the number of instances of \(typeName) grew with each repetition: "
        + counts.map(String.init).joined(separator: ", ")
    case .unbinding:
      "an instance of \(typeName) was unbound, but it is registered as long-lived"
    }
  }

  /// The likely line to change, or else how to ignore instances that are about to be deallocated.
  package var advice: String {
    if let likelyFix { return "; likely line to change: \(likelyFix.text)" }
    guard finding == .excess(after: nil) else { return "" }
    return "; if one is about to be deallocated, as in a reassignment, "
      + "use validate(self, grace: .seconds(1)) or MemoryLeakMonitor.policy = .graced()"
  }

  private var excess: String {
    "\(liveCount) \(liveCount == 1 ? "instance" : "instances") of \(counted) "
      + "\(liveCount == 1 ? "is" : "are") alive, expected at most \(max)"
  }

  /// The class or group that is counted.
  private var counted: String { group.map { "the group \($0)" } ?? typeName }

  private var resolution: String {
    switch finding {
    case .excess, .growth: "the excess instances of \(counted) were deallocated"
    case .survivor: "the instance of \(typeName) was deallocated"
    case .unbinding: "the unbound instance of \(typeName) was bound"
    }
  }
}

// MARK: - Holders

extension LeakReport {
  /// The line to change that the largest number of retain paths suggests; nil if no path suggests
  /// one.
  ///
  /// - Complexity: O(*n*) in the number of nodes of all paths.
  public var likelyFix: LikelyFix? {
    let isGrowth = if case .growth = finding { true } else { false }
    let fixes = survivors.compactMap(\.retainPath).compactMap { path in
      isGrowth ? path.likelyFixOfGrowth : path.likelyFix
    }
    let counts = Dictionary(fixes.map { ($0.line, 1) }, uniquingKeysWith: +)
    // `max(by:)` returns the first of equally frequent lines, which is that of the oldest survivor.
    return fixes.max { counts[$0.line, default: 0] < counts[$1.line, default: 0] }
  }

  /// The message, followed by the retain paths with a line for each step.
  package var messageWithHolders: String {
    ([message] + holderLines.map { "  \($0)" }).joined(separator: "\n")
  }

  /// Lines about the holders of the live instances; empty if the monitor did not search.
  package var holderLines: [String] {
    let found = survivors.filter { $0.retainFinding != nil }
    return zip(1..., found).flatMap { number, survivor in
      (found.count > 1 ? ["\(number). \(survivor.description)"] : []) + survivor.holderLines
    }
  }

  /// Sets the state `.retainedByRunningTask` if a running task holds the survivor.
  package mutating func noteRunningTask() {
    guard state == .leaked, case .survivor = finding,
      survivors.first?.retainPath?.origin == .runningTask
    else { return }
    state = .retainedByRunningTask
  }
}

extension LeakSurvivor {
  /// Lines about the holder; empty if the monitor did not search.
  var holderLines: [String] {
    guard let retainFinding else { return [] }
    return switch retainFinding {
    case .path(let path, _): path.text.split(separator: "\n").map(String.init)
    case .none(let count):
      [
        "no holder found (strong references: \(count)): searched for a cycle, and from the added "
          + "roots and running tasks; not searched: Dispatch's blocks, other C memory, memory "
          + "behind unsafe pointers, key paths, and global or static variables that are no added "
          + "roots"
      ]
    case .unavailable(let reason): ["holder unknown: \(reason)"]
    }
  }
}

// MARK: - Full text

extension LeakReport {
  private static let listedSurvivors = 5
  private static let listedFrames = 6
  private static let listedSamples = 8

  /// The report as several lines: the message, the live instances with their ages, backtraces and
  /// holders, the history of the count, and the cost of the monitor.
  ///
  /// - Complexity: Slow: it reads `CreationBacktrace.frames` of each listed instance.
  public var text: String {
    let lines = [message, "  found at \(site.fileID):\(site.line)"] + survivorLines + historyLines
    return (lines + (monitorCost.map { ["  \(Self.line(of: $0))"] } ?? [])).joined(separator: "\n")
  }

  private var survivorLines: [String] {
    let listed = survivors.prefix(Self.listedSurvivors)
    guard !listed.isEmpty else { return [] }
    let lines = zip(1..., listed).flatMap { number, survivor in
      ["  \(number). \(Self.line(of: survivor))"]
        + (Self.frames(of: survivor) + survivor.holderLines).map { "       \($0)" }
    }
    return ["  alive, oldest first:"] + lines
      + Self.more(aliveCount - listed.count).map { "  \($0)" }
  }

  /// The number of live instances; after a late deallocation, `liveCount` still includes those that
  /// the first report counted, so only the survivors count.
  private var aliveCount: Int {
    state == .late ? survivors.count : Swift.max(liveCount, survivors.count)
  }

  private var historyLines: [String] {
    guard !history.isEmpty else { return [] }
    let hidden = Self.more(history.count - Self.listedSamples).map { "\($0) before" }
    let samples = history.suffix(Self.listedSamples).map { sample in
      "\(sample.liveCount) after \(Self.seconds(sample.time))"
    }
    return ["  the count: " + (hidden + samples).joined(separator: ", ")]
  }

  private static func line(of survivor: LeakSurvivor) -> String {
    let site = survivor.site.map { ", from \($0.fileID):\($0.line)" } ?? ""
    return "\(survivor.description), \(seconds(survivor.age)) old\(site)"
  }

  private static func frames(of survivor: LeakSurvivor) -> [String] {
    let frames = survivor.backtrace?.frames ?? []
    return frames.prefix(listedFrames) + more(frames.count - listedFrames)
  }

  private static func line(of cost: MonitorCost) -> String {
    "cost of the monitor so far: \(decimal(cost.total / .microseconds(1))) µs for "
      + "\(cost.validations) objects and \(cost.backtraces) backtraces"
  }

  private static func more(_ count: Int) -> [String] {
    count > 0 ? ["and \(count) more"] : []
  }

  private static func seconds(_ duration: Duration) -> String {
    "\(decimal(duration / .seconds(1))) s"
  }

  /// Returns `number`, rounded down to one digit after the point.
  private static func decimal(_ number: Double) -> String {
    "\((number * 10).rounded(.down) / 10)"
  }
}

// MARK: - Reports in files

extension LeakRecord {
  /// Creates the record of a report.
  ///
  /// - Parameters:
  ///   - leak: The report.
  ///   - millisecondsSince1970: The wall-clock time of the report.
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
  /// Creates the fingerprint of a report.
  public init(of leak: LeakReport) {
    self.init(leak.finding, typeName: leak.typeName, group: leak.group)
  }
}
