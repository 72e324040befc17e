import CShims

/// The known leaks of a program: a run fails only for other leaks.
///
/// Counts are exact. A higher count is a new leak; a lower count means that the entry must be
/// lowered or removed, so that a fixed leak stays fixed. A partial test run needs a baseline of its
/// own.
///
/// As a file:
///
/// ```json
/// {
///   "schema": 1,
///   "leaks": [
///     {"fingerprint": "excess App.Session", "count": 1, "reason": "issue 12", "expires": "2027-01-31"}
///   ]
/// }
/// ```
public struct LeakBaseline: Sendable, Equatable {
  public struct Entry: Sendable, Equatable {
    public var fingerprint: LeakFingerprint
    /// The number of leaked instances, as `LeakTally` counts them.
    public var count: Int
    /// Why the leak is not fixed yet.
    public var reason: String
    /// The last day on which the entry applies; nil for no limit.
    public var expires: CalendarDay?

    public init(
      _ fingerprint: LeakFingerprint, count: Int, reason: String, expires: CalendarDay? = nil
    ) {
      precondition(count >= 1, "expected a count of 1 or more, since none is no leak")
      self.fingerprint = fingerprint
      self.count = count
      self.reason = reason
      self.expires = expires
    }
  }

  /// The entries, sorted by fingerprint.
  public let entries: [Entry]

  /// - Precondition: Each fingerprint occurs once.
  public init(_ entries: [Entry]) {
    precondition(
      Set(entries.map(\.fingerprint)).count == entries.count, "expected one entry for each leak")
    self.entries = entries.sorted { $0.fingerprint < $1.fingerprint }
  }

  /// Creates a baseline of all leaks of a run. Entries that `previous` has keep their reason and
  /// expiry; the others get `reason`.
  public init(of tally: LeakTally, reason: String, keeping previous: LeakBaseline? = nil) {
    self.init(
      tally.counts.map { fingerprint, count in
        let known = previous?.entry(of: fingerprint)
        return Entry(
          fingerprint, count: count, reason: known?.reason ?? reason, expires: known?.expires)
      })
  }

  public func entry(of fingerprint: LeakFingerprint) -> Entry? {
    entries.first { $0.fingerprint == fingerprint }
  }

  /// Compares the leaks of a run with the entries; an entry that expired before `day` does not
  /// apply.
  public func judge(_ tally: LeakTally, on day: CalendarDay = .today) -> LeakJudgement {
    let found = tally.counts
    let known = entries.compactMap { entry -> LeakJudgement.Finding? in
      let count = found[entry.fingerprint] ?? 0
      if count < entry.count {
        return .stale(entry.fingerprint, known: entry.count, found: count)
      }
      if let expiry = entry.expires, expiry < day {
        return .expired(entry.fingerprint, on: expiry, found: count)
      }
      return count > entry.count
        ? .new(entry.fingerprint, known: entry.count, found: count) : nil
    }
    let unknown = found.filter { entry(of: $0.key) == nil }.map { fingerprint, count in
      LeakJudgement.Finding.new(fingerprint, known: 0, found: count)
    }
    return LeakJudgement(
      findings: (known + unknown).sorted { $0.fingerprint < $1.fingerprint },
      knownCount: entries.count - known.count)
  }
}

/// The difference between the leaks of a run and a baseline.
public struct LeakJudgement: Sendable, Equatable {
  public enum Finding: Sendable, Hashable {
    /// More instances than the baseline has, which may have none.
    case new(LeakFingerprint, known: Int, found: Int)
    /// Fewer instances than the baseline has: lower or remove the entry.
    case stale(LeakFingerprint, known: Int, found: Int)
    /// As many instances as the baseline has, but its entry expired.
    case expired(LeakFingerprint, on: CalendarDay, found: Int)
  }

  /// The findings, sorted by fingerprint; each of them fails the run.
  public let findings: [Finding]
  /// The number of entries that match exactly.
  public let knownCount: Int

  public var isFine: Bool { findings.isEmpty }
}

extension LeakJudgement.Finding: CustomStringConvertible {
  public var fingerprint: LeakFingerprint {
    switch self {
    case .new(let fingerprint, _, _), .stale(let fingerprint, _, _),
      .expired(let fingerprint, _, _):
      fingerprint
    }
  }

  /// One line for people.
  public var description: String {
    switch self {
    case .new(let fingerprint, 0, let found): "new: \(fingerprint): \(found)"
    case .new(let fingerprint, let known, let found):
      "new: \(fingerprint): \(found), of which \(known) \(known == 1 ? "is" : "are") known"
    case .stale(let fingerprint, let known, 0):
      "stale: \(fingerprint): none; remove the entry, which says \(known)"
    case .stale(let fingerprint, let known, let found):
      "stale: \(fingerprint): \(found); lower the entry, which says \(known)"
    case .expired(let fingerprint, let day, let found):
      "expired: \(fingerprint): \(found), known until \(day)"
    }
  }
}

extension LeakJudgement: CustomStringConvertible {
  /// A line for each finding, and one that sums them up.
  public var description: String {
    let lines = findings.map(\.description)
    let counts =
      "\(knownCount) known \(knownCount == 1 ? "leak" : "leaks"), "
      + "\(findings.count) new, stale or expired"
    return (lines + [counts]).joined(separator: "\n")
  }
}

// MARK: - JSON

extension LeakBaseline {
  private static let schema = 1

  /// Reads a baseline from `file`.
  ///
  /// - Throws: `LeakFileError` if the file cannot be read or is not a baseline, with the place.
  public init(contentsOf file: String) throws(LeakFileError) {
    self = try JSONParser.read(try LeakFile.bytes(of: file), of: file, firstLine: 1, Self.init)
  }

  /// Reads a baseline from `json`; errors call the file `name`.
  ///
  /// - Throws: `LeakFileError.malformed` with the place if `json` is not a baseline.
  public init(json: String, name: String) throws(LeakFileError) {
    self = try JSONParser.read(Array(json.utf8), of: name, firstLine: 1, Self.init)
  }

  /// Writes the baseline to `file`, which it replaces atomically.
  ///
  /// - Throws: `LeakFileError.unwritable`.
  public func write(to file: String) throws(LeakFileError) {
    try LeakFile.replace(file, with: json)
  }

  /// The file's text, with a line for each entry; equal baselines have equal text.
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

// MARK: - Calendar

/// A calendar day without a time zone, such as "2027-01-31".
public struct CalendarDay: Hashable, Sendable, Comparable, CustomStringConvertible {
  public let year: Int
  public let month: Int
  public let day: Int

  /// Creates a day from text such as "2027-01-31"; nil if there is no such day.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2],
      parts.joined().utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
      1...12 ~= month, day >= 1, day <= Self.days(of: month, in: year)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Today in UTC.
  public static var today: CalendarDay {
    CalendarDay(secondsSince1970: Int(cws_milliseconds_since_1970() / 1000))
  }

  init(secondsSince1970 seconds: Int) {
    var rest = seconds / 86_400
    var (year, month) = (1970, 1)
    while rest >= Self.days(of: year) {
      rest -= Self.days(of: year)
      year += 1
    }
    while rest >= Self.days(of: month, in: year) {
      rest -= Self.days(of: month, in: year)
      month += 1
    }
    (self.year, self.month, day) = (year, month, rest + 1)
  }

  private static func days(of year: Int) -> Int { isLeap(year) ? 366 : 365 }

  private static func days(of month: Int, in year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func isLeap(_ year: Int) -> Bool {
    year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
  }

  public static func < (lhs: CalendarDay, rhs: CalendarDay) -> Bool {
    (lhs.year, lhs.month, lhs.day) < (rhs.year, rhs.month, rhs.day)
  }

  public var description: String {
    let digits = ["\(year)", "\(month)", "\(day)"]
    return zip([4, 2, 2], digits).map { String(repeating: "0", count: $0 - $1.count) + $1 }
      .joined(separator: "-")
  }
}
