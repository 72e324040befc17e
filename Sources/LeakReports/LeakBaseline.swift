import CShims

/// The leaks of a program that are known, so that a run fails for others alone.
///
/// Counts are exact: more is a new leak, and less means that the entry is to be lowered or removed, so that
/// what was mended stays mended. Whoever runs a part of a program's tests has use for a baseline of that
/// part.
public struct LeakBaseline: Sendable, Equatable {
  public struct Entry: Sendable, Equatable {
    public var fingerprint: LeakFingerprint
    /// How many instances; see `LeakTally`.
    public var count: Int
    /// Why it is not mended yet.
    public var reason: String
    /// The last day on which it is known; nil for ever.
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

  /// By fingerprint.
  public let entries: [Entry]

  /// - Precondition: no two of the entries are of one fingerprint.
  public init(_ entries: [Entry]) {
    precondition(
      Set(entries.map(\.fingerprint)).count == entries.count, "expected one entry for each leak")
    self.entries = entries.sorted { $0.fingerprint < $1.fingerprint }
  }

  /// All leaks of a run, to begin with; the reasons of those that `previous` knows are kept, with their
  /// expiry.
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

  /// Compares what a run came to with what is known; an entry that expired before `day` is so no more.
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

/// What a run's leaks are beside those that are known.
public struct LeakJudgement: Sendable, Equatable {
  public enum Finding: Sendable, Hashable {
    /// More instances than known, of which there may be none.
    case new(LeakFingerprint, known: Int, found: Int)
    /// Fewer than known: the entry is to be lowered, or removed.
    case stale(LeakFingerprint, known: Int, found: Int)
    /// As known, but not known any more.
    case expired(LeakFingerprint, on: CalendarDay, found: Int)
  }

  /// By fingerprint; each of them fails the run.
  public let findings: [Finding]
  /// How many leaks are exactly as known.
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

/// A day of the calendar, without a time zone: "2027-01-31".
public struct CalendarDay: Hashable, Sendable {
  public let year: Int
  public let month: Int
  public let day: Int

  /// - Parameter text: four digits, two and two, with hyphens between; nil if there is no such day.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2],
      parts.joined().utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
      1...12 ~= month, day >= 1, day <= Self.days(of: month, in: year)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// The day at Greenwich.
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
}

extension CalendarDay: Comparable {
  public static func < (lhs: CalendarDay, rhs: CalendarDay) -> Bool {
    (lhs.year, lhs.month, lhs.day) < (rhs.year, rhs.month, rhs.day)
  }
}

extension CalendarDay: CustomStringConvertible {
  public var description: String {
    let digits = ["\(year)", "\(month)", "\(day)"]
    return zip([4, 2, 2], digits).map { String(repeating: "0", count: $0 - $1.count) + $1 }
      .joined(separator: "-")
  }
}
