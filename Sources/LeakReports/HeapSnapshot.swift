/// The live objects of a process at one moment, counted by type, and the memory that the allocator
/// holds.
///
/// `RuntimeInspection` takes snapshots of its own process, and `leakwatch heap` of another one.
/// ``growth(since:)`` compares two of them.
public struct HeapSnapshot: Sendable, Hashable, Codable {
  /// The version of the format.
  public private(set) var schema = HeapSnapshot.knownSchema
  /// The identifier of the process.
  public var process: Int
  /// The wall-clock time of the snapshot, in milliseconds since 1970.
  public var millisecondsSince1970: Int
  /// The duration for which the process could not run. If the process took the snapshot itself, the
  /// duration for which it could not write to memory.
  public var pauseNanoseconds: Int
  /// The types, sorted by bytes, largest first.
  public var entries: [Entry]
  /// The number of blocks in use that are not Swift objects, such as buffers and the memory of C
  /// code.
  public var otherCount: Int
  /// The bytes of these blocks.
  public var otherBytes: Int
  /// The bytes of the free blocks that the allocator keeps, including those in the caches of
  /// threads.
  public var freeBytes: Int
  /// All memory of the allocator: blocks in use, free blocks, and its own headers.
  public var heldBytes: Int
  /// The bytes of allocator memory in which the snapshot could not find the blocks; usually 0.
  public var unreadBytes: Int
  /// The resident size of the process; nil if the system does not report it.
  public var residentBytes: Int?
  /// What the types retain; nil if there was no search for it, or if it failed.
  public var dominators: DominatorTree?

  private static let knownSchema = 1

  /// Creates a snapshot.
  ///
  /// - Parameters:
  ///   - process: The identifier of the process.
  ///   - millisecondsSince1970: The wall-clock time of the snapshot.
  ///   - pauseNanoseconds: The duration for which the process could not run or write to memory, in
  ///     nanoseconds.
  ///   - entries: The types in any order; entries of one type and kind are added up.
  ///   - otherCount: The number of blocks in use that are not Swift objects.
  ///   - otherBytes: The bytes of these blocks.
  ///   - freeBytes: The bytes of the free blocks that the allocator keeps.
  ///   - heldBytes: All memory of the allocator.
  ///   - unreadBytes: The bytes of allocator memory in which the snapshot could not find the
  ///     blocks.
  ///   - residentBytes: The resident size of the process; nil if unknown.
  ///   - dominators: What the types retain; nil if unknown.
  public init(
    process: Int, millisecondsSince1970: Int, pauseNanoseconds: Int, entries: [Entry],
    otherCount: Int, otherBytes: Int, freeBytes: Int, heldBytes: Int, unreadBytes: Int = 0,
    residentBytes: Int?, dominators: DominatorTree? = nil
  ) {
    self.process = process
    self.millisecondsSince1970 = millisecondsSince1970
    self.pauseNanoseconds = pauseNanoseconds
    self.otherCount = otherCount
    self.otherBytes = otherBytes
    self.freeBytes = freeBytes
    self.heldBytes = heldBytes
    self.unreadBytes = unreadBytes
    self.residentBytes = residentBytes
    self.dominators = dominators
    self.entries = Self.sums(entries).sorted(by: Entry.precedes)
  }

  /// Adds up the entries of each type: the closures of several functions may capture the same
  /// types, and several private classes may have one name.
  private static func sums(_ entries: [Entry]) -> some Sequence<Entry> {
    var sums: [Entry.Subject: Entry] = [:]
    for entry in entries { sums[entry.subject, default: Entry(entry.subject)].add(entry) }
    return sums.values
  }

  /// The number of live objects.
  public var objectCount: Int { entries.reduce(0) { $0 + $1.count } }

  /// The bytes of the live objects.
  public var objectBytes: Int { entries.reduce(0) { $0 + $1.bytes } }

  /// The bytes in use: those of live objects, of deinitialized ones, and of other blocks.
  public var usedBytes: Int {
    objectBytes + otherBytes + entries.reduce(0) { $0 + $1.deinitializedBytes }
  }

  /// Returns the entry of a type; nil if the snapshot has no such object.
  ///
  /// - Parameters:
  ///   - typeName: The name with its module, as in "App.Session".
  ///   - kind: The kind of the type.
  public func entry(_ typeName: String, _ kind: Entry.Kind = .object) -> Entry? {
    entries.first { $0.typeName == typeName && $0.kind == kind }
  }
}

extension HeapSnapshot {
  /// The objects of one type.
  public struct Entry: Sendable, Hashable, Codable {
    /// The kind of an object.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
      /// An instance of a class or an actor.
      case object
      /// The captures of a closure, or one captured variable: the two are indistinguishable.
      case closure
      /// The box of a value, such as that of an indirect case, or of a captured variable of generic
      /// type.
      case box
      /// The box of an error.
      case error
      /// A task. Its frames are in other blocks.
      case task
    }

    /// The kind of the objects.
    public var kind: Kind
    /// The name of the class with its module, the same in every run; for a closure the types of its
    /// captures in parentheses.
    ///
    /// The compiler uses the same metadata for all boxes of values that have one size and contain
    /// no reference. So all of them have the name of one of them.
    public var typeName: String
    /// The number of live objects.
    public var count: Int
    /// The bytes of their blocks, rounded up by the allocator.
    public var bytes: Int
    /// The number of objects whose `deinit` has begun, but whose memory is still allocated: unowned
    /// references hold it, or a thread still runs the `deinit`.
    public var deinitializedCount: Int
    /// The bytes of the blocks of deinitialized objects.
    public var deinitializedBytes: Int
    /// A path of references to one of the objects; nil if there was no search for one, or none was
    /// found.
    public var path: RetainPath?

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - kind: The kind of the objects.
    ///   - typeName: The name of the type.
    ///   - count: The number of live objects.
    ///   - bytes: The bytes of their blocks.
    ///   - deinitializedCount: The number of objects whose `deinit` has begun.
    ///   - deinitializedBytes: The bytes of their blocks.
    ///   - path: A path of references to one of the objects.
    public init(
      kind: Kind, typeName: String, count: Int, bytes: Int, deinitializedCount: Int = 0,
      deinitializedBytes: Int = 0, path: RetainPath? = nil
    ) {
      self.kind = kind
      self.typeName = typeName
      self.count = count
      self.bytes = bytes
      self.deinitializedCount = deinitializedCount
      self.deinitializedBytes = deinitializedBytes
      self.path = path
    }

    /// The subject of an entry: the kind and the name of its type.
    struct Subject: Hashable {
      var kind: Kind
      var typeName: String

      /// The subject as a table shows it: the name, with the kind before it unless the type is a
      /// class or a task.
      var text: String {
        switch kind {
        case .object, .task: typeName
        case .closure: "captures \(typeName)"
        case .box: "box of \(typeName)"
        case .error: "error \(typeName)"
        }
      }
    }

    var subject: Subject { Subject(kind: kind, typeName: typeName) }

    /// The type as a table shows it: the name, with the kind before it unless the type is a class
    /// or a task.
    package var text: String { subject.text }

    init(_ subject: Subject) {
      self.init(kind: subject.kind, typeName: subject.typeName, count: 0, bytes: 0)
    }

    mutating func add(_ other: Entry) {
      count += other.count
      bytes += other.bytes
      deinitializedCount += other.deinitializedCount
      deinitializedBytes += other.deinitializedBytes
      path = path ?? other.path
    }

    static func precedes(_ one: Entry, _ other: Entry) -> Bool {
      (-one.bytes, -one.count, one.subject.text) < (-other.bytes, -other.count, other.subject.text)
    }
  }
}

// MARK: - Text

extension HeapSnapshot {
  /// The snapshot as text: a line with all sums, and a table of the largest types.
  ///
  /// - Parameter limit: The maximum number of types.
  /// - Precondition: `limit` is positive.
  public func text(limit: Int = 20) -> String {
    guard limit > 0 else { fatalError("limit, a number of types, must be positive, got \(limit)") }
    let shown = entries.prefix(limit)
    var rows = shown.map { ["\($0.count)", "\($0.bytes)", $0.subject.text] }
    let rest = entries.dropFirst(limit)
    if !rest.isEmpty {
      let (count, bytes) = rest.reduce((0, 0)) { ($0.0 + $1.count, $0.1 + $1.bytes) }
      rows.append(["\(count)", "\(bytes)", "(\(rest.count) more types)"])
    }
    let table = HeapText.table([["COUNT", "BYTES", "TYPE"]] + rows)
    return ([summary] + table + notes).joined(separator: "\n")
  }

  /// The sums on one line: live bytes, free bytes, all memory of the allocator, and the resident
  /// size.
  public var summary: String {
    let resident = residentBytes.map { "; resident \(HeapText.bytes($0))" } ?? ""
    return
      "live \(HeapText.bytes(objectBytes)) in \(objectCount) objects of \(entries.count) types, "
      + "\(HeapText.bytes(otherBytes)) in \(otherCount) other blocks; "
      + "free \(HeapText.bytes(freeBytes)); malloc holds \(HeapText.bytes(heldBytes))\(resident); "
      + "paused \(HeapText.milliseconds(pauseNanoseconds))"
  }

  /// Lines about objects and memory that the table does not count.
  var notes: [String] {
    var notes: [String] = []
    let (count, bytes) = entries.reduce((0, 0)) {
      ($0.0 + $1.deinitializedCount, $0.1 + $1.deinitializedBytes)
    }
    if count > 0 {
      notes.append(
        "\(count) more objects are deinitialized, but unowned references hold their "
          + "\(HeapText.bytes(bytes))")
    }
    if unreadBytes > 0 {
      notes.append("\(HeapText.bytes(unreadBytes)) of the allocator could not be read")
    }
    notes.append("not counted: objects on a stack, in the frame of a task, and in static memory")
    return notes
  }
}

/// Functions that format numbers and tables for texts about the heap.
package enum HeapText {
  package static func bytes(_ count: Int) -> String {
    var (amount, units) = (Double(count), ["B", "KiB", "MiB", "GiB", "TiB"][...])
    while amount.magnitude >= 1024, units.count > 1 {
      amount /= 1024
      units = units.dropFirst()
    }
    let isWhole = units.startIndex == 0
    return "\(isWhole ? "\(count)" : tenths(amount)) \(units[units.startIndex])"
  }

  static func milliseconds(_ nanoseconds: Int) -> String {
    "\(tenths(Double(nanoseconds) / 1e6)) ms"
  }

  static func signed(_ number: Int) -> String { number > 0 ? "+\(number)" : "\(number)" }

  static func signedBytes(_ count: Int) -> String { (count > 0 ? "+" : "") + bytes(count) }

  private static func tenths(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }

  /// Returns the lines of a table whose last column is text and whose others are numbers.
  static func table(_ rows: [[String]]) -> [String] {
    let columns = rows.first.map { $0.count - 1 } ?? 0
    let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row, widths).map { cell, width in
        String(repeating: " ", count: width - cell.count) + cell + "  "
      }.joined() + row[columns]
    }
  }
}

// MARK: - JSON

extension HeapSnapshot {
  /// The snapshot as one line of JSON, without a line end. Each member has the name of a property,
  /// so `JSONDecoder` reads the line too.
  public var jsonLine: String {
    JSONText.object([
      "schema": "\(schema)", "process": JSONText.count(process),
      "millisecondsSince1970": JSONText.count(millisecondsSince1970),
      "pauseNanoseconds": JSONText.count(pauseNanoseconds),
      "heldBytes": JSONText.count(heldBytes), "freeBytes": JSONText.count(freeBytes),
      "otherCount": JSONText.count(otherCount), "otherBytes": JSONText.count(otherBytes),
      "unreadBytes": JSONText.count(unreadBytes),
      "residentBytes": residentBytes.map(JSONText.count),
      "entries": JSONText.list(entries.map(\.json)), "dominators": dominators?.json,
    ])
  }

  /// Appends the snapshot to `file` as a line of JSON, and creates the file if it is missing.
  ///
  /// - Parameter file: The path of the file.
  /// - Throws: `LeakFileError.unwritable` if the file cannot be opened or written.
  public func append(toFile file: String) throws(LeakFileError) {
    try LeakFile.append(jsonLine + "\n", to: file)
  }

  /// Reads the snapshots of a JSON Lines file in order, skipping empty lines.
  ///
  /// - Parameter file: The path of the file.
  /// - Throws: `LeakFileError.unreadable` if the file cannot be read, or `.malformed` with the
  ///   place of the first line that is not a snapshot.
  public static func snapshots(inFile file: String) throws(LeakFileError) -> [HeapSnapshot] {
    try LeakFile.records(of: file, Self.init)
  }

  init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "a heap snapshot")
    try fields.require(schema: Self.knownSchema)
    func count(_ name: String) throws(JSONError) -> Int {
      try fields.needed(fields.count(name), name)
    }
    var entries: [Entry] = []
    for node in try fields.needed(fields.list("entries"), "entries") {
      entries.append(try Entry(node))
    }
    self.init(
      process: try count("process"), millisecondsSince1970: try count("millisecondsSince1970"),
      pauseNanoseconds: try count("pauseNanoseconds"), entries: entries,
      otherCount: try count("otherCount"), otherBytes: try count("otherBytes"),
      freeBytes: try count("freeBytes"), heldBytes: try count("heldBytes"),
      unreadBytes: try count("unreadBytes"), residentBytes: try fields.count("residentBytes"),
      dominators: try fields.node("dominators").map { node throws(JSONError) in
        try DominatorTree(node)
      })
  }
}

extension HeapSnapshot {
  /// Decodes a snapshot.
  ///
  /// - Parameter decoder: The decoder, such as that of `JSONDecoder`.
  /// - Throws: `DecodingError.dataCorrupted` if the version of the format is unknown, or another
  ///   `DecodingError` if a value is missing or wrong.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let schema = try values.decode(Int.self, forKey: .schema)
    guard schema == Self.knownSchema else {
      throw DecodingError.dataCorruptedError(
        forKey: .schema, in: values,
        debugDescription: "expected schema \(Self.knownSchema), not \(schema)")
    }
    func count(_ key: CodingKeys) throws -> Int { try values.decode(Int.self, forKey: key) }
    self.init(
      process: try count(.process), millisecondsSince1970: try count(.millisecondsSince1970),
      pauseNanoseconds: try count(.pauseNanoseconds),
      entries: try values.decode([Entry].self, forKey: .entries),
      otherCount: try count(.otherCount), otherBytes: try count(.otherBytes),
      freeBytes: try count(.freeBytes), heldBytes: try count(.heldBytes),
      unreadBytes: try count(.unreadBytes),
      residentBytes: try values.decodeIfPresent(Int.self, forKey: .residentBytes),
      dominators: try values.decodeIfPresent(DominatorTree.self, forKey: .dominators))
  }
}

extension HeapSnapshot.Entry {
  fileprivate var json: String {
    JSONText.object([
      "kind": JSONText.text(kind.rawValue), "typeName": JSONText.text(typeName),
      "count": JSONText.count(count), "bytes": JSONText.count(bytes),
      "deinitializedCount": JSONText.count(deinitializedCount),
      "deinitializedBytes": JSONText.count(deinitializedBytes), "path": path?.json,
    ])
  }

  fileprivate init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "a type of a heap snapshot")
    func count(_ name: String) throws(JSONError) -> Int {
      try fields.needed(fields.count(name), name)
    }
    self.init(
      kind: try fields.needed(fields.name("kind", of: Kind.self), "kind"),
      typeName: try fields.needed(fields.text("typeName"), "typeName"),
      count: try count("count"), bytes: try count("bytes"),
      deinitializedCount: try count("deinitializedCount"),
      deinitializedBytes: try count("deinitializedBytes"),
      path: try fields.node("path").map { node throws(JSONError) in try RetainPath(node) })
  }
}
