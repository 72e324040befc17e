import CShims
public import RuntimeInspection

/// A report as a file holds it: what `LeakReport` says, without what only its process knows.
///
/// As JSON it is one line, whose names stay the same and in this order; those without a value are left out,
/// and later versions may add others:
///
/// | name | what it says |
/// |---|---|
/// | `schema` | 1 |
/// | `time` | when it was reported, in milliseconds since 1970 |
/// | `fingerprint` | see `LeakFingerprint` |
/// | `state` | `leaked`, `retainedByRunningTask`, `late`, `allowed` or `longLived` |
/// | `finding` | `excess`, `survivor`, `growth` or `unbinding` |
/// | `after` | the grace period, in seconds; of `excess` only if there was one |
/// | `counts` | of `growth`: before the first repetition, and after each |
/// | `type`, `description`, `group` | the class, what the instance calls itself, its group |
/// | `live`, `max` | how many lived, and how many may |
/// | `file`, `line`, `column` | where it was validated or expected to die |
/// | `message` | one line for people |
/// | `history` | how many lived when: pairs of seconds since the monitor was made, and the count |
/// | `survivors` | the oldest living ones, at most 20: `type`, `age` in seconds, `file`, `line`, `path` |
/// | `cost` | what the monitor cost: `validations`, `backtraces`, `seconds` |
///
/// A survivor's `path` is what `RetainPath.json` says, if it was looked for (see `RetainPaths`) and found.
public struct LeakRecord: Sendable, Equatable {
  public var millisecondsSince1970: Int
  public var state: LeakState
  public var finding: LeakFinding
  public var typeName: String
  public var description: String
  public var group: String?
  public var liveCount: Int
  public var max: Int
  /// As `#fileID`: the module and the file.
  public var fileID: String
  public var line: Int
  public var column: Int
  public var message: String
  public var history: [CountSample]
  public var survivors: [Survivor]
  public var cost: MonitorCost?

  /// An instance that was alive, as `LeakSurvivor`.
  public struct Survivor: Sendable, Equatable {
    public var typeName: String
    public var age: Duration
    public var fileID: String?
    public var line: Int?
    /// How it was held; nil if that was not looked for, or not found.
    public var path: RetainPath?
  }

  /// How many survivors a record holds, so that lines stay short.
  static let mostSurvivors = 20

  public init(_ leak: LeakReport, millisecondsSince1970: Int) {
    self.millisecondsSince1970 = millisecondsSince1970
    state = leak.state
    finding = leak.finding
    typeName = leak.typeName
    description = leak.description
    group = leak.group
    liveCount = leak.liveCount
    max = leak.max
    fileID = "\(leak.site.fileID)"
    line = Int(leak.site.line)
    column = Int(leak.site.column)
    message = leak.message
    history = leak.history
    survivors = leak.survivors.prefix(Self.mostSurvivors).map { survivor in
      Survivor(
        typeName: survivor.typeName, age: survivor.age,
        fileID: survivor.site.map { "\($0.fileID)" },
        line: survivor.site.map { Int($0.line) }, path: survivor.retainPath)
    }
    cost = leak.monitorCost
  }

  public var fingerprint: LeakFingerprint {
    LeakFingerprint(finding, typeName: typeName, group: group)
  }
}

extension LeakRecord {
  /// The wall clock's time, as a record has it.
  package static var now: Int { Int(cws_milliseconds_since_1970()) }
}
