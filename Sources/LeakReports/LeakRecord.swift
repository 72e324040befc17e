import CShims

/// A leak report in a file: a `LeakReport` without the values that only its process can use.
///
/// As JSON it is one line. The members and their order are stable. A member without a value is
/// omitted, and later versions may add members:
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
/// | `survivors` | the oldest live instances, at most 20 (see below) |
/// | `cost` | the cost of the monitor: `validations`, `backtraces`, `seconds` |
///
/// A survivor has a `type`, an `age` in seconds, a `file` and a `line`. If the monitor searched for
/// a retain path (see `RetainPaths`) and found one, the survivor also has a `path`, which is
/// `RetainPath.json`.
public struct LeakRecord: Sendable, Equatable {
  /// The wall-clock time of the report, in milliseconds since 1970.
  public var millisecondsSince1970: Int
  /// Whether the finding is a leak.
  public var state: LeakState
  /// The kind of leak that the check found, with its numbers.
  public var finding: LeakFinding
  /// The class with its module, as in "App.Session".
  public var typeName: String
  /// The description of the instance, as in `LeakReport.description`.
  public var description: String
  /// The group whose instances the monitor counts together; nil if it counts the class.
  public var group: String?
  /// The number of live instances when the report was made.
  public var liveCount: Int
  /// The number of instances that the class or group allows.
  public var max: Int
  /// The module and the file, in the form of `#fileID`.
  public var fileID: String
  /// The line where the instance was validated or expected to be deallocated.
  public var line: Int
  /// The column of that place.
  public var column: Int
  /// The report on one line, for people.
  public var message: String
  /// The counts that the monitor recorded before the report, oldest first.
  public var history: [CountSample]
  /// The oldest live instances, at most 20.
  public var survivors: [Survivor]
  /// The cost of the monitor so far; nil if the report does not have it.
  public var cost: MonitorCost?

  /// A live instance: the part of a `LeakSurvivor` that a file holds.
  public struct Survivor: Sendable, Equatable {
    /// The class with its module, as in "App.Session".
    public var typeName: String
    /// The time since the instance was validated or its token created: see `LeakSurvivor.age`.
    public var age: Duration
    /// The module and the file of the place in `LeakSurvivor.site`; nil if it is unknown.
    public var fileID: String?
    /// The line of the place in `LeakSurvivor.site`; nil if it is unknown.
    public var line: Int?
    /// The retain path of the instance; nil if the monitor did not search or found no path.
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
      let fields = try JSONFields(node, "a live instance")
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

  /// The maximum number of survivors in a record; the limit keeps lines short.
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

  /// The identity of the leak across runs.
  public var fingerprint: LeakFingerprint {
    LeakFingerprint(finding, typeName: typeName, group: group)
  }

  /// The wall-clock time in milliseconds since 1970.
  package static var now: Int { Int(cws_milliseconds_since_1970()) }
}

// MARK: - JSON

extension LeakRecord {
  private static let schema = 1

  /// The record as one line of JSON, without a line end; negative times, ages and counts become 0.
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

  /// Reads a record from one line.
  ///
  /// - Parameters:
  ///   - jsonLine: The line in UTF-8, without its line end.
  ///   - file: The name of the file in errors.
  ///   - number: The number of the line in errors; lines count from 1.
  /// - Throws: `LeakFileError.malformed` with the place if the line is not a record.
  public init(jsonLine: some Collection<UInt8>, of file: String, number: Int) throws(LeakFileError)
  {
    self = try JSONParser.read(Array(jsonLine), of: file, firstLine: number, Self.init)
  }

  /// Reads the records of a JSON Lines file, skipping empty lines.
  ///
  /// - Parameter file: The path of the file.
  /// - Returns: The records in the order of the file.
  /// - Throws: `LeakFileError.unreadable` if the file cannot be read, or `.malformed` with the
  ///   place of the first line that is not a record.
  public static func records(inFile file: String) throws(LeakFileError) -> [LeakRecord] {
    try LeakFile.records(of: file, Self.init)
  }

  private init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "a leak report")
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
