import CShims

/// The known leaks of a program. With a baseline, a run fails only if its leaks differ from the
/// known ones.
///
/// Counts are exact. A higher count is a new leak. A lower count also fails, until the entry is
/// lowered or removed; so a fixed leak cannot return unnoticed. A run of only some tests needs a
/// baseline of its own.
///
/// As a file:
///
/// ```json
/// {
///   "schema": 1,
///   "leaks": [
///     {"fingerprint": "excess App.Session", "count": 1, "reason": "issue 12",
///      "expires": "2027-01-31"}
///   ]
/// }
/// ```
public struct LeakBaseline: Sendable, Equatable {
  /// A known leak.
  public struct Entry: Sendable, Equatable {
    /// The identity of the leak.
    public var fingerprint: LeakFingerprint
    /// The number of leaked instances, as `LeakTally` counts them.
    public var count: Int
    /// Why the leak is not fixed yet.
    public var reason: String
    /// The last day on which the entry applies; nil if it never expires.
    public var expires: CalendarDay?

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - fingerprint: The identity of the leak.
    ///   - count: The number of leaked instances, as `LeakTally` counts them.
    ///   - reason: Why the leak is not fixed yet.
    ///   - expires: The last day on which the entry applies; nil if it never expires.
    /// - Precondition: `count` is at least 1.
    public init(
      _ fingerprint: LeakFingerprint, count: Int, reason: String, expires: CalendarDay? = nil
    ) {
      guard count >= 1 else {
        fatalError(
          "the baseline entry '\(fingerprint)' needs a count of at least 1, got \(count); "
            + "leave out the entry of a fixed leak")
      }
      self.fingerprint = fingerprint
      self.count = count
      self.reason = reason
      self.expires = expires
    }
  }

  /// The entries, sorted by fingerprint.
  public let entries: [Entry]

  /// Creates a baseline from entries in any order.
  ///
  /// - Precondition: No two entries have the same fingerprint.
  public init(_ entries: [Entry]) {
    self.entries = entries.sorted { $0.fingerprint < $1.fingerprint }
    for (entry, next) in zip(self.entries, self.entries.dropFirst()) {
      guard entry.fingerprint != next.fingerprint else {
        fatalError("the baseline has two entries for '\(entry.fingerprint)'; merge them into one")
      }
    }
  }

  /// Creates a baseline of all leaks of a run.
  ///
  /// - Parameters:
  ///   - tally: The leaks of the run.
  ///   - reason: The reason for leaks without an entry in `previous`.
  ///   - previous: A baseline, from which the leaks that it lists keep their reasons and their
  ///     expiry dates.
  public init(of tally: LeakTally, reason: String, keeping previous: LeakBaseline? = nil) {
    self.init(
      tally.counts.map { fingerprint, count in
        let known = previous?.entry(of: fingerprint)
        return Entry(
          fingerprint, count: count, reason: known?.reason ?? reason, expires: known?.expires)
      })
  }

  /// Returns the entry of a leak; nil if the leak is not known.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public func entry(of fingerprint: LeakFingerprint) -> Entry? {
    entries.first { $0.fingerprint == fingerprint }
  }

  /// Compares the leaks of a run with the entries.
  ///
  /// - Parameters:
  ///   - tally: The leaks of the run.
  ///   - day: The day of the run; an entry whose last day is earlier does not apply.
  /// - Returns: The differences; none if the leaks are exactly the known ones.
  public func judge(_ tally: LeakTally, on day: CalendarDay = .today) -> LeakJudgement {
    let found = tally.counts
    let known = entries.compactMap { entry -> LeakJudgement.Finding? in
      let count = found[entry.fingerprint] ?? 0
      if count < entry.count {
        return .outdated(entry.fingerprint, known: entry.count, found: count)
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
  /// A leak whose count differs from the baseline, or whose entry expired.
  public enum Finding: Sendable, Hashable {
    /// More instances than the baseline allows; `known` is 0 if it has no entry for the leak.
    case new(LeakFingerprint, known: Int, found: Int)
    /// Fewer instances than the entry has. Lower the entry, or remove it.
    case outdated(LeakFingerprint, known: Int, found: Int)
    /// At least as many instances as the entry has, but the entry expired.
    case expired(LeakFingerprint, on: CalendarDay, found: Int)
  }

  /// The findings, sorted by fingerprint; each of them fails the run.
  public let findings: [Finding]
  /// The number of entries that match exactly.
  public let knownCount: Int

  /// Whether the leaks are exactly the known ones.
  public var isFine: Bool { findings.isEmpty }
}

extension LeakJudgement.Finding: CustomStringConvertible {
  /// The identity of the leak.
  public var fingerprint: LeakFingerprint {
    switch self {
    case .new(let fingerprint, _, _), .outdated(let fingerprint, _, _),
      .expired(let fingerprint, _, _):
      fingerprint
    }
  }

  /// The finding on one line: its kind, the leak and its count, and for an outdated entry what to
  /// do.
  public var description: String {
    switch self {
    case .new(let fingerprint, 0, let found): "new: \(fingerprint): \(found)"
    case .new(let fingerprint, let known, let found):
      "new: \(fingerprint): \(found), of which \(known) \(known == 1 ? "is" : "are") known"
    case .outdated(let fingerprint, let known, 0):
      "outdated: \(fingerprint): none; remove the entry, which says \(known)"
    case .outdated(let fingerprint, let known, let found):
      "outdated: \(fingerprint): \(found); lower the entry, which says \(known)"
    case .expired(let fingerprint, let day, let found):
      "expired: \(fingerprint): \(found), known until \(day)"
    }
  }
}

extension LeakJudgement: CustomStringConvertible {
  /// A line for each finding, then a line with the totals.
  public var description: String {
    let lines = findings.map(\.description)
    let counts =
      "\(knownCount) known \(knownCount == 1 ? "leak" : "leaks"), "
      + "\(findings.count) new, outdated or expired"
    return (lines + [counts]).joined(separator: "\n")
  }
}

// MARK: - JSON

extension LeakBaseline {
  private static let schema = 1

  /// Reads a baseline from a file.
  ///
  /// - Parameter file: The path of the file.
  /// - Throws: `LeakFileError.unreadable` if the file cannot be read, or `.malformed` with the
  ///   place if it is not a baseline.
  public init(contentsOf file: String) throws(LeakFileError) {
    self = try JSONParser.read(try LeakFile.bytes(of: file), of: file, firstLine: 1, Self.init)
  }

  /// Reads a baseline from text.
  ///
  /// - Parameters:
  ///   - json: The text.
  ///   - name: The name of the file in errors.
  /// - Throws: `LeakFileError.malformed` with the place if `json` is not a baseline.
  public init(json: String, name: String) throws(LeakFileError) {
    self = try JSONParser.read(Array(json.utf8), of: name, firstLine: 1, Self.init)
  }

  /// Writes the baseline to a file, which it replaces atomically.
  ///
  /// - Parameter file: The path of the file.
  /// - Throws: `LeakFileError.unwritable` if the file cannot be written.
  public func write(to file: String) throws(LeakFileError) {
    try LeakFile.replace(file, with: json)
  }

  /// The baseline as JSON, with a line for each entry; equal baselines have equal text.
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
        throw JSONError(offset: node.offset, expected: "only one entry for '\(entry.fingerprint)'")
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
        expected: "a count of at least 1; remove the entry of a fixed leak")
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
  /// The year, from 0 to 9999.
  public let year: Int
  /// The month, from 1 to 12.
  public let month: Int
  /// The day of the month, from 1.
  public let day: Int

  /// Creates a day from text such as "2027-01-31".
  ///
  /// Returns nil if the text has another form, or if the month has no such day.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2],
      parts.joined().utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
      1...12 ~= month, day >= 1, day <= Self.days(of: month, in: year)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// The current day in UTC.
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

  /// Returns whether `lhs` is before `rhs`.
  public static func < (lhs: CalendarDay, rhs: CalendarDay) -> Bool {
    (lhs.year, lhs.month, lhs.day) < (rhs.year, rhs.month, rhs.day)
  }

  /// The day as text, such as "2027-01-31".
  public var description: String {
    let digits = ["\(year)", "\(month)", "\(day)"]
    return zip([4, 2, 2], digits).map { String(repeating: "0", count: $0 - $1.count) + $1 }
      .joined(separator: "-")
  }
}
