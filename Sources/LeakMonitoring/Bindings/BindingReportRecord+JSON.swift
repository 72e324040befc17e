import LeakReports

extension BindingReportRecord {
  private static let schema = 1

  /// One line, without its end.
  public var jsonLine: String {
    JSONText.object([
      "schema": "\(Self.schema)", "time": JSONText.count(millisecondsSince1970),
      "bindings": JSONText.list(report.sorted.map { $0.json(count: report.counts[$0] ?? 0) }),
    ])
  }

  /// What one line of a file says; the file's name and the line's number, from 1, are for the error.
  ///
  /// - Throws: `LeakFileError.malformed` with the place if it is no report of bindings.
  public init(jsonLine: some Collection<UInt8>, of file: String, number: Int) throws(LeakFileError)
  {
    do throws(JSONError) {
      try self.init(try JSONParser.parse(Array(jsonLine)))
    } catch {
      throw error.located(in: jsonLine, of: file, firstLine: number)
    }
  }

  /// The reports of a file of JSON lines in their order, empty lines left out.
  ///
  /// - Throws: `LeakFileError` if it cannot be read, or the first line that is no report of bindings.
  public static func records(inFile file: String) throws(LeakFileError) -> [BindingReportRecord] {
    var records: [BindingReportRecord] = []
    for (number, line) in try LeakFile.lines(of: file) {
      records.append(try BindingReportRecord(jsonLine: line, of: file, number: number))
    }
    return records
  }

  private init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "a report of bindings")
    try fields.require(schema: Self.schema)
    millisecondsSince1970 = try fields.needed(fields.count("time"), "time")
    var counts: [BindingRecord: Int] = [:]
    for node in try fields.needed(fields.list("bindings"), "bindings") {
      let (record, count) = try BindingRecord.counted(node)
      counts[record, default: 0] += count
    }
    report = BindingReport(counts)
  }
}

extension BindingRecord {
  fileprivate func json(count: Int) -> String {
    JSONText.object([
      "count": JSONText.count(count), "state": JSONText.text(state.rawValue),
      "viewModel": JSONText.text(viewModel), "controller": controller.map(JSONText.text),
      "name": name.map(JSONText.text), "viewModelIsAlive": "\(viewModelIsAlive)",
      "controllerIsAlive": "\(controllerIsAlive)", "isDoublyBound": "\(isDoublyBound)",
      "file": JSONText.text(fileID), "line": "\(line)",
    ])
  }

  fileprivate static func counted(_ node: JSONNode) throws(JSONError) -> (BindingRecord, Int) {
    let fields = try JSONFields(node, "a binding")
    let record = BindingRecord(
      state: try fields.needed(fields.name("state", of: BindingState.self), "state"),
      viewModel: try fields.needed(fields.text("viewModel"), "viewModel"),
      controller: try fields.text("controller"), name: try fields.text("name"),
      viewModelIsAlive: try fields.needed(fields.flag("viewModelIsAlive"), "viewModelIsAlive"),
      controllerIsAlive: try fields.needed(fields.flag("controllerIsAlive"), "controllerIsAlive"),
      isDoublyBound: try fields.needed(fields.flag("isDoublyBound"), "isDoublyBound"),
      fileID: try fields.needed(fields.text("file"), "file"),
      line: try fields.needed(fields.count("line"), "line"))
    return (record, try fields.needed(fields.count("count"), "count"))
  }
}
