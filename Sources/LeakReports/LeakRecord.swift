import CShims

/// A report as a file holds it: a `LeakReport` without what only its process can use.
///
/// As JSON it is one line. The names and their order are stable; names without a value are omitted,
/// and later versions may add names:
///
/// | name | meaning |
/// |---|---|
/// | `schema` | 1 |
/// | `time` | the time of the report, in milliseconds since 1970 |
/// | `fingerprint` | see `LeakFingerprint` |
/// | `state` | `leaked`, `retainedByRunningTask`, `late`, `allowed` or `longLived` |
/// | `finding` | `excess`, `survivor`, `growth` or `unbinding` |
/// | `after` | the grace period in seconds; for `excess` only if there was one |
/// | `counts` | for `growth`: the count before the first repetition, and after each |
/// | `type`, `description`, `group` | the class, the description of the instance, its group |
/// | `live`, `max` | the number of live instances, and the limit |
/// | `file`, `line`, `column` | where the instance was validated or expected to be deallocated |
/// | `message` | one line for people |
/// | `history` | pairs of the seconds since the monitor was created and the count |
/// | `survivors` | the oldest live instances, at most 20: `type`, `age` in seconds, `file`, `line`, `path` |
/// | `cost` | the cost of the monitor: `validations`, `backtraces`, `seconds` |
///
/// A survivor's `path` is its `RetainPath.json`, if the monitor searched for one (see
/// `RetainPaths`) and found it.
public struct LeakRecord: Sendable, Equatable {
  public var millisecondsSince1970: Int
  public var state: LeakState
  public var finding: LeakFinding
  public var typeName: String
  public var description: String
  public var group: String?
  public var liveCount: Int
  public var max: Int
  /// The module and the file, as `#fileID` has them.
  public var fileID: String
  public var line: Int
  public var column: Int
  public var message: String
  public var history: [CountSample]
  public var survivors: [Survivor]
  public var cost: MonitorCost?

  /// A live instance, as `LeakSurvivor` describes it.
  public struct Survivor: Sendable, Equatable {
    public var typeName: String
    public var age: Duration
    public var fileID: String?
    public var line: Int?
    /// What held the instance; nil if the monitor did not search or found nothing.
    public var path: RetainPath?

    package init(
      typeName: String, age: Duration, fileID: String?, line: Int?, path: RetainPath?
    ) {
      self.typeName = typeName
      self.age = age
      self.fileID = fileID
      self.line = line
      self.path = path
    }

    init(_ node: JSONNode) throws(JSONError) {
      let fields = try JSONFields(node, "an instance that is alive")
      typeName = try fields.needed(fields.text("type"), "type")
      age = try fields.needed(fields.duration("age"), "age")
      fileID = try fields.text("file")
      line = try fields.count("line")
      path = try fields.node("path").map { node throws(JSONError) in try RetainPath(node) }
    }

    var json: String {
      JSONText.object([
        "type": JSONText.text(typeName), "age": JSONText.seconds(age),
        "file": fileID.map(JSONText.text),
        "line": line.map(String.init), "path": path?.json,
      ])
    }
  }

  /// The maximum number of survivors in a record, which keeps lines short.
  package static let mostSurvivors = 20

  package init(
    millisecondsSince1970: Int, state: LeakState, finding: LeakFinding, typeName: String,
    description: String, group: String?, liveCount: Int, max: Int, fileID: String, line: Int,
    column: Int, message: String, history: [CountSample], survivors: [Survivor], cost: MonitorCost?
  ) {
    self.millisecondsSince1970 = millisecondsSince1970
    self.state = state
    self.finding = finding
    self.typeName = typeName
    self.description = description
    self.group = group
    self.liveCount = liveCount
    self.max = max
    self.fileID = fileID
    self.line = line
    self.column = column
    self.message = message
    self.history = history
    self.survivors = survivors
    self.cost = cost
  }

  public var fingerprint: LeakFingerprint {
    LeakFingerprint(finding, typeName: typeName, group: group)
  }

  /// The wall-clock time in milliseconds since 1970.
  package static var now: Int { Int(cws_milliseconds_since_1970()) }
}

// MARK: - JSON

extension LeakRecord {
  private static let schema = 1

  /// The record as one line without its line end; negative times, ages and counts become 0.
  public var jsonLine: String {
    JSONText.object([
      "schema": "\(Self.schema)", "time": JSONText.count(millisecondsSince1970),
      "fingerprint": JSONText.text(fingerprint.text), "state": JSONText.text(state.rawValue),
      "finding": JSONText.text(finding.kind.rawValue),
      "after": finding.grace.map { JSONText.seconds($0) },
      "counts": finding.counts.map { JSONText.list($0.map(JSONText.count)) },
      "type": JSONText.text(typeName), "description": JSONText.text(description),
      "group": group.map(JSONText.text), "live": JSONText.count(liveCount),
      "max": JSONText.integer(max),
      "file": JSONText.text(fileID), "line": "\(line)", "column": "\(column)",
      "message": JSONText.text(message),
      "history": history.isEmpty ? nil : JSONText.list(history.map(\.json)),
      "survivors": survivors.isEmpty ? nil : JSONText.list(survivors.map(\.json)),
      "cost": cost.map(\.json),
    ])
  }

  /// Reads a record from one line; errors name `file` and the line `number`, from 1.
  ///
  /// - Throws: `LeakFileError.malformed` with the place if the line is not a record.
  public init(jsonLine: some Collection<UInt8>, of file: String, number: Int) throws(LeakFileError)
  {
    self = try JSONParser.read(Array(jsonLine), of: file, firstLine: number, Self.init)
  }

  /// Reads the records of a file of JSON lines, skipping empty lines.
  ///
  /// - Throws: `LeakFileError` if the file cannot be read, or for the first line that is not a
  ///   record.
  public static func records(inFile file: String) throws(LeakFileError) -> [LeakRecord] {
    try LeakFile.records(of: file, Self.init)
  }

  private init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "a report of a leak")
    try fields.require(schema: Self.schema)
    millisecondsSince1970 = try fields.needed(fields.count("time"), "time")
    state = try fields.needed(fields.name("state", of: LeakState.self), "state")
    finding = try LeakFinding(fields)
    typeName = try fields.needed(fields.text("type"), "type")
    description = try fields.needed(fields.text("description"), "description")
    group = try fields.text("group")
    liveCount = try fields.needed(fields.count("live"), "live")
    max = try fields.needed(fields.integer("max"), "max")
    fileID = try fields.needed(fields.text("file"), "file")
    line = try fields.needed(fields.count("line"), "line")
    column = try fields.needed(fields.count("column"), "column")
    message = try fields.needed(fields.text("message"), "message")
    history = try (fields.list("history") ?? []).map { node throws(JSONError) in
      try CountSample(node)
    }
    survivors = try (fields.list("survivors") ?? []).map { node throws(JSONError) in
      try Survivor(node)
    }
    cost = try fields.node("cost").map { node throws(JSONError) in try MonitorCost(node) }
  }
}
