import CShims

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

    package init(
      typeName: String, age: Duration, fileID: String?, line: Int?, path: RetainPath?
    ) {
      self.typeName = typeName
      self.age = age
      self.fileID = fileID
      self.line = line
      self.path = path
    }
  }

  /// How many survivors a record holds, so that lines stay short.
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
}

extension LeakRecord {
  /// The wall clock's time, as a record has it.
  package static var now: Int { Int(cws_milliseconds_since_1970()) }
}

extension LeakRecord {
  private static let schema = 1

  /// One line, without its end; a time, an age or a count below 0, which would be none, is 0 in it.
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

  /// What one line of a file says; the file's name and the line's number, from 1, are for the error.
  ///
  /// - Throws: `LeakFileError.malformed` with the place if it is no record.
  public init(jsonLine: some Collection<UInt8>, of file: String, number: Int) throws(LeakFileError)
  {
    do throws(JSONError) {
      try self.init(try JSONParser.parse(Array(jsonLine)))
    } catch {
      throw error.located(in: jsonLine, of: file, firstLine: number)
    }
  }

  /// The records of a file of JSON lines, empty lines left out.
  ///
  /// - Throws: `LeakFileError` if it cannot be read, or the first line that is no record.
  public static func records(inFile file: String) throws(LeakFileError) -> [LeakRecord] {
    var records: [LeakRecord] = []
    for (number, line) in try LeakFile.lines(of: file) {
      records.append(try LeakRecord(jsonLine: line, of: file, number: number))
    }
    return records
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

extension LeakState: CaseIterable {
  public static var allCases: [LeakState] {
    [.leaked, .retainedByRunningTask, .late, .allowed, .longLived]
  }
}

// What the parts of a record are in JSON, both ways.

extension LeakFinding {
  init(_ fields: JSONFields) throws(JSONError) {
    let grace = try fields.duration("after")
    switch try fields.needed(fields.name("finding", of: Kind.self), "finding") {
    case .excess: self = .excess(after: grace)
    case .survivor: self = .survivor(after: try fields.needed(grace, "after"))
    case .growth: self = .growth(try fields.needed(fields.counts("counts"), "counts"))
    case .unbinding: self = .unbinding
    }
  }

  var grace: Duration? {
    switch self {
    case .excess(let grace): grace
    case .survivor(let grace): grace
    case .growth, .unbinding: nil
    }
  }

  var counts: [Int]? {
    if case .growth(let counts) = self { counts } else { nil }
  }
}

extension CountSample {
  init(_ node: JSONNode) throws(JSONError) {
    guard case .list(let pair) = node.content, pair.count == 2,
      case .number(let seconds) = pair[0].content, case .number(let number) = pair[1].content,
      JSONText.durations ~= seconds, let count = JSONText.exact(number), count >= 0
    else {
      throw JSONError(offset: node.offset, expected: "a pair of seconds and a count, as in [0.5,2]")
    }
    self.init(time: .seconds(seconds), liveCount: count)
  }

  var json: String { "[\(JSONText.seconds(time)),\(JSONText.count(liveCount))]" }
}

extension LeakRecord.Survivor {
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

extension MonitorCost {
  init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "what a monitor cost")
    self.init(
      validations: try fields.needed(fields.count("validations"), "validations"),
      backtraces: try fields.needed(fields.count("backtraces"), "backtraces"),
      total: try fields.needed(fields.duration("seconds"), "seconds"))
  }

  var json: String {
    JSONText.object([
      "validations": JSONText.count(validations), "backtraces": JSONText.count(backtraces),
      "seconds": JSONText.seconds(total),
    ])
  }
}

extension JSONFields {
  fileprivate func duration(_ name: String) throws(JSONError) -> Duration? {
    guard let seconds = try number(name) else { return nil }
    guard JSONText.durations ~= seconds else {
      throw JSONError(offset: node(name)!.offset, expected: "seconds from 0 to 1e9 for '\(name)'")
    }
    return .seconds(seconds)
  }
}
