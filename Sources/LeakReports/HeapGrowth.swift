/// The difference between two snapshots of a process: the types that grew, and the kind of memory
/// that grew most: live objects, other blocks, free blocks, or memory outside the allocator.
public struct HeapGrowth: Sendable, Hashable {
  /// The answer to the question "leak or fragmentation?".
  public enum Verdict: String, Sendable, Hashable, CaseIterable {
    /// No part of the memory grew significantly: by at least 256 KiB, and by at least a twentieth
    /// of what the allocator held before.
    case steady
    /// Live objects grew most: they leak, or the program needs more of them.
    case liveObjects
    /// Blocks that are not objects grew most: buffers, or the memory of C code.
    case otherBlocks
    /// The free blocks that the allocator keeps grew most: fragmentation, or memory left over from
    /// a peak.
    case freeBlocks
    /// The resident size grew most outside the allocator: mapped files, stacks, or another
    /// allocator.
    case outsideAllocator
  }

  /// The change of one type.
  public struct Row: Sendable, Hashable {
    /// The kind of the objects.
    public var kind: HeapSnapshot.Entry.Kind
    /// The name of the type.
    public var typeName: String
    /// The number of live objects in the earlier snapshot.
    public var countBefore: Int
    /// The number of live objects in the later snapshot.
    public var count: Int
    /// The growth of their bytes; negative if the type shrank.
    public var byteGrowth: Int
    /// A path of references to one of the objects in the later snapshot; nil if that snapshot has
    /// no path for the type.
    public var path: RetainPath?

    /// The growth of the number of live objects; negative if the type shrank.
    public var countGrowth: Int { count - countBefore }
  }

  /// The earlier snapshot.
  public let before: HeapSnapshot
  /// The later snapshot.
  public let after: HeapSnapshot
  /// The types whose count or bytes changed, sorted by the growth of their bytes, largest first.
  public let rows: [Row]

  fileprivate init(before: HeapSnapshot, after: HeapSnapshot) {
    self.before = before
    self.after = after
    rows = Self.rows(before, after)
  }

  private static func rows(_ before: HeapSnapshot, _ after: HeapSnapshot) -> [Row] {
    func bySubject(_ entries: [HeapSnapshot.Entry]) -> [HeapSnapshot.Entry.Subject: HeapSnapshot
      .Entry]
    {
      Dictionary(entries.map { ($0.subject, $0) }) { first, _ in first }
    }
    let (earlier, later) = (bySubject(before.entries), bySubject(after.entries))
    let rows = Set(earlier.keys).union(later.keys).map { subject in
      let (before, after) = (earlier[subject], later[subject])
      return Row(
        kind: subject.kind, typeName: subject.typeName, countBefore: before?.count ?? 0,
        count: after?.count ?? 0, byteGrowth: (after?.bytes ?? 0) - (before?.bytes ?? 0),
        path: after?.path)
    }
    return rows.filter { $0.countGrowth != 0 || $0.byteGrowth != 0 }.sorted {
      (-$0.byteGrowth, -$0.countGrowth, $0.subject.text)
        < (-$1.byteGrowth, -$1.countGrowth, $1.subject.text)
    }
  }

  /// The types that have more live objects or more bytes than before.
  public var grown: [Row] { rows.filter { $0.countGrowth > 0 || $0.byteGrowth > 0 } }

  /// The part of the memory that grew most.
  public var verdict: Verdict {
    let largest = parts.max { $0.growth < $1.growth }
    let least = max(before.heldBytes / 20, Self.leastGrowth)
    guard let largest, largest.growth >= least else { return .steady }
    return largest.verdict
  }

  private static let leastGrowth = 256 << 10

  private var parts: [(verdict: Verdict, growth: Int)] {
    var parts: [(verdict: Verdict, growth: Int)] = [
      (.liveObjects, after.objectBytes - before.objectBytes),
      (.otherBlocks, after.otherBytes - before.otherBytes),
      (.freeBlocks, after.freeBytes - before.freeBytes),
    ]
    if let later = after.residentBytes, let earlier = before.residentBytes {
      let growthOfHeap = after.heldBytes - before.heldBytes
      // Subtracts only growth: memory that the allocator holds is not always resident, so a smaller
      // heap need not mean a smaller resident size.
      parts.append((.outsideAllocator, later - earlier - max(growthOfHeap, 0)))
    }
    return parts
  }
}

extension HeapGrowth.Row {
  fileprivate var subject: HeapSnapshot.Entry.Subject {
    HeapSnapshot.Entry.Subject(kind: kind, typeName: typeName)
  }
}

extension HeapSnapshot {
  /// Returns the difference between an earlier snapshot of the same program and this one.
  ///
  /// - Parameter earlier: The earlier snapshot.
  /// - Complexity: O(*n* log *n*) in the number of types.
  public func growth(since earlier: HeapSnapshot) -> HeapGrowth {
    HeapGrowth(before: earlier, after: self)
  }
}

// MARK: - Text and JSON

extension HeapGrowth {
  private static let mostPaths = 5

  /// The difference as text: the verdict, a line with the growth of each part, a table of the types
  /// that grew most, and a path to an example of each of the first five types, if the later
  /// snapshot has paths.
  ///
  /// - Parameter limit: The maximum number of types.
  /// - Precondition: `limit` is positive.
  public func text(limit: Int = 20) -> String {
    guard limit > 0 else { fatalError("limit, a number of types, must be positive, got \(limit)") }
    var lines = [verdictText, summary]
    let rows = grown.prefix(limit).map { row in
      [
        HeapText.signed(row.countGrowth), HeapText.signed(row.byteGrowth), "\(row.count)",
        row.subject.text,
      ]
    }
    lines +=
      rows.isEmpty
      ? ["no type grew"]
      : HeapText.table([["GROWTH", "BYTES", "COUNT", "TYPE"]] + rows)
    if grown.count > limit { lines.append("(\(grown.count - limit) more types grew)") }
    lines += grown.prefix(Self.mostPaths).compactMap(\.path?.text)
    return lines.joined(separator: "\n")
  }

  /// The verdict in one sentence.
  public var verdictText: String {
    switch verdict {
    case .steady: "steady: no part of the memory grew significantly"
    case .liveObjects:
      "live objects grew most\(grown.first.map { ": \($0.subject.text) by \($0.countGrowth)" } ?? "")"
    case .otherBlocks:
      "blocks that are not Swift objects grew most: buffers, or the memory of C code"
    case .freeBlocks:
      "free memory that malloc keeps grew most: fragmentation, or memory left over from a peak"
    case .outsideAllocator:
      "memory outside malloc grew most: mapped files, stacks, or another allocator"
    }
  }

  /// The growth of each part of the memory on one line.
  public var summary: String {
    let resident = after.residentBytes.flatMap { later in
      before.residentBytes.map { "; resident \(HeapText.signedBytes(later - $0))" }
    }
    return "live \(HeapText.signedBytes(after.objectBytes - before.objectBytes)) in "
      + "\(HeapText.signed(after.objectCount - before.objectCount)) objects, "
      + "other blocks \(HeapText.signedBytes(after.otherBytes - before.otherBytes)); "
      + "free \(HeapText.signedBytes(after.freeBytes - before.freeBytes)); "
      + "malloc holds \(HeapText.signedBytes(after.heldBytes - before.heldBytes))"
      + (resident ?? "")
  }

  /// The difference as one line of JSON: `verdict`, the growth of each part in bytes, and `rows`.
  public var jsonLine: String {
    let resident = after.residentBytes.flatMap { later in
      before.residentBytes.map { JSONText.integer(later - $0) }
    }
    return JSONText.object([
      "verdict": JSONText.text(verdict.rawValue),
      "objectBytes": JSONText.integer(after.objectBytes - before.objectBytes),
      "otherBytes": JSONText.integer(after.otherBytes - before.otherBytes),
      "freeBytes": JSONText.integer(after.freeBytes - before.freeBytes),
      "heldBytes": JSONText.integer(after.heldBytes - before.heldBytes),
      "residentBytes": resident,
      "rows": JSONText.list(
        rows.map { row in
          JSONText.object([
            "kind": JSONText.text(row.kind.rawValue), "typeName": JSONText.text(row.typeName),
            "countBefore": JSONText.count(row.countBefore), "count": JSONText.count(row.count),
            "byteGrowth": JSONText.integer(row.byteGrowth), "path": row.path?.json,
          ])
        }),
    ])
  }
}
