import LeakReports

/// A file of known leaks:
///
/// ```json
/// {
///   "schema": 1,
///   "leaks": [
///     {"fingerprint": "excess App.Session", "count": 1, "reason": "issue 12", "expires": "2027-01-31"}
///   ]
/// }
/// ```
extension LeakBaseline {
  private static let schema = 1

  /// - Throws: `LeakFileError` if the file cannot be read, or is no baseline, with the place.
  public init(contentsOf file: String) throws(LeakFileError) {
    let bytes = try LeakFile.bytes(of: file)
    do throws(JSONError) {
      try self.init(try JSONParser.parse(bytes))
    } catch {
      throw error.located(in: bytes, of: file, firstLine: 1)
    }
  }

  /// - Throws: `LeakFileError.malformed` if it is no baseline, with the place and `name` for the file.
  public init(json: String, name: String) throws(LeakFileError) {
    do throws(JSONError) {
      try self.init(try JSONParser.parse(Array(json.utf8)))
    } catch {
      throw error.located(in: json.utf8, of: name, firstLine: 1)
    }
  }

  /// Writes it beside `file` and renames: what was there is replaced as a whole or not at all.
  ///
  /// - Throws: `LeakFileError.unwritable`.
  public func write(to file: String) throws(LeakFileError) {
    try LeakFile.replace(file, with: json)
  }

  /// A line for each entry; the same for equal baselines.
  public var json: String {
    let lines = entries.map { entry in
      "    "
        + JSONText.object([
          "fingerprint": JSONText.text(entry.fingerprint.text), "count": "\(entry.count)",
          "reason": JSONText.text(entry.reason),
          "expires": entry.expires.map { JSONText.text("\($0)") },
        ])
    }
    let list = lines.isEmpty ? "[]" : "[\n\(lines.joined(separator: ",\n"))\n  ]"
    return "{\n  \"schema\": \(Self.schema),\n  \"leaks\": \(list)\n}\n"
  }

  private init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "a baseline of known leaks")
    try fields.refuseNames(otherThan: ["schema", "leaks"])
    try fields.require(schema: Self.schema)
    var entries: [Entry] = []
    var known: Set<LeakFingerprint> = []
    for node in try fields.needed(fields.list("leaks"), "leaks") {
      let entry = try Entry(node)
      guard known.insert(entry.fingerprint).inserted else {
        throw JSONError(offset: node.offset, expected: "one entry for '\(entry.fingerprint)'")
      }
      entries.append(entry)
    }
    self.init(entries)
  }
}

extension LeakBaseline.Entry {
  fileprivate init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "a known leak")
    try fields.refuseNames(otherThan: ["fingerprint", "count", "reason", "expires"])
    let fingerprint = try fields.needed(fields.text("fingerprint"), "fingerprint")
    let count = try fields.needed(fields.count("count"), "count")
    guard count >= 1 else {
      throw JSONError(
        offset: fields.node("count")!.offset,
        expected: "a count of 1 or more, since none is no leak")
    }
    let reason = try fields.needed(fields.text("reason"), "reason")
    var expires: CalendarDay?
    if let text = try fields.text("expires") {
      expires = CalendarDay(text)
      guard expires != nil else {
        throw JSONError(
          offset: fields.node("expires")!.offset, expected: "a day such as \"2027-01-31\"")
      }
    }
    self.init(
      LeakFingerprint(text: fingerprint), count: count, reason: reason, expires: expires)
  }
}
