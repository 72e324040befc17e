import LeakReports

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
