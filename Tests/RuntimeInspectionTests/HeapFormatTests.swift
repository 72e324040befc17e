import Foundation
import LeakReports
import Testing

/// The text and the JSON of snapshots, and the verdicts.
struct HeapFormatTests {
  private static let mebibyte = 1 << 20

  private static func snapshot(
    _ entries: [HeapSnapshot.Entry] = [], other: Int = 0, free: Int = 0, held: Int = 100 * mebibyte,
    resident: Int? = nil
  ) -> HeapSnapshot {
    HeapSnapshot(
      process: 7, millisecondsSince1970: 1000, pauseNanoseconds: 1_250_000, entries: entries,
      otherCount: 3, otherBytes: other, freeBytes: free, heldBytes: held, residentBytes: resident)
  }

  private static func entry(
    _ name: String, _ kind: HeapSnapshot.Entry.Kind = .object, count: Int, bytes: Int,
    path: RetainPath? = nil
  ) -> HeapSnapshot.Entry {
    HeapSnapshot.Entry(kind: kind, typeName: name, count: count, bytes: bytes, path: path)
  }

  private static let path = RetainPath(
    origin: .root("global variables"),
    nodes: [.init(typeName: "App.Cache"), .init(typeName: "A.B")],
    edges: [.init(label: ".items[x]", isProbable: true)])

  @Test func `entries of one type are summed, and the largest comes first`() {
    let snapshot = Self.snapshot([
      Self.entry("A", .closure, count: 1, bytes: 10), Self.entry("B", count: 2, bytes: 50),
      Self.entry("A", .closure, count: 4, bytes: 20), Self.entry("A", count: 1, bytes: 40),
    ])
    #expect(snapshot.entries.map(\.bytes) == [50, 40, 30])
    #expect(snapshot.entry("A", .closure)?.count == 5)
    #expect(snapshot.objectCount == 8 && snapshot.objectBytes == 120)
  }

  @Test func `this module and Codable read the JSON that was written`() throws {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "heap-\(UUID().uuidString).jsonl").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    let first = Self.snapshot(
      [Self.entry("A", count: 1, bytes: 10), Self.entry("(B, C)", .closure, count: 2, bytes: 20)],
      other: 5, free: 6, held: 700, resident: 800)
    var second = Self.snapshot([Self.entry("A.B", count: 1, bytes: 16, path: Self.path)])
    second.dominators = Self.tree(limit: 3)
    try first.append(toFile: file)
    try second.append(toFile: file)
    #expect(try HeapSnapshot.snapshots(inFile: file) == [first, second])
    for snapshot in [first, second] {
      let line = Data(snapshot.jsonLine.utf8)
      #expect(try JSONDecoder().decode(HeapSnapshot.self, from: line) == snapshot)
      let encoded = try JSONEncoder().encode(snapshot) + Data("\n".utf8)
      try encoded.write(to: URL(filePath: file))
      #expect(try HeapSnapshot.snapshots(inFile: file) == [snapshot])
    }
  }

  private static func tree(limit: Int) -> DominatorTree {
    DominatorTree(
      nodes: [
        .init(parent: nil, kind: .globals, retainedBytes: 100),
        .init(parent: nil, kind: .tasks, retainedBytes: 300),
        .init(parent: 0, kind: .object, typeName: "A", count: 2, bytes: 20, retainedBytes: 100),
        .init(parent: 2, kind: .other, count: 1, bytes: 70, retainedBytes: 70),
        .init(parent: 2, kind: .closure, typeName: "(B)", count: 1, bytes: 10, retainedBytes: 10),
      ], limit: limit)
  }

  @Test func `a tree has the nodes that retain most, and counts the omitted ones`() {
    let all = Self.tree(limit: 5)
    #expect(all.nodes.map(\.retainedBytes) == [300, 100, 100, 70, 10])
    #expect(all.nodes.map(\.parent) == [nil, nil, 1, 2, 2])
    #expect(all.children == [[], [2], [3, 4], [], []] && all.retainedBytes == 400)
    let top = Self.tree(limit: 3)
    #expect(top.nodes.map(\.text) == ["tasks", "global variables", "A"])
    #expect(top.nodes.map(\.omittedCount) == [0, 0, 2])
  }

  @Test func `a tree has every origin, however little it retains`() {
    let top = DominatorTree(
      nodes: [
        .init(parent: nil, kind: .globals, retainedBytes: 100),
        .init(parent: nil, kind: .tasks, retainedBytes: 5),
        .init(parent: 0, kind: .object, typeName: "A", count: 2, bytes: 90, retainedBytes: 90),
        .init(parent: 0, kind: .other, count: 1, bytes: 10, retainedBytes: 10),
      ], limit: 3)
    #expect(top.nodes.map(\.text) == ["global variables", "tasks", "A"])
    #expect(top.retainedBytes == 105 && top.nodes[0].omittedCount == 1)
  }

  @Test(arguments: [
    ("\"parent\":1", "\"parent\":4", "a parent before its nodes"),
    ("\"retainedBytes\":70", "\"retainedBytes\":101", "at most its parent's bytes"),
  ])
  func `a tree in which a node contradicts its parent is an error`(
    _ text: String, _ other: String, _ expected: String
  ) throws {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "heap-\(UUID().uuidString).jsonl").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    var snapshot = Self.snapshot()
    snapshot.dominators = Self.tree(limit: 5)
    let line = snapshot.jsonLine.replacing(text, with: other)
    #expect(line != snapshot.jsonLine)
    try Data((line + "\n").utf8).write(to: URL(filePath: file))
    let error = #expect(throws: LeakFileError.self) { try HeapSnapshot.snapshots(inFile: file) }
    #expect(error.map { "\($0)" }?.contains(expected) == true)
  }

  @Test func `a damaged line is an error with its line and column`() throws {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "heap-\(UUID().uuidString).jsonl").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    try Data((Self.snapshot().jsonLine + "\n{\"schema\":2}\n").utf8).write(to: URL(filePath: file))
    #expect(
      throws: LeakFileError.malformed(
        file: file, line: 2, column: 11, expected: "schema 1, not 2")
    ) { try HeapSnapshot.snapshots(inFile: file) }
  }

  @Test(arguments: [0, 2, -1])
  func `Codable refuses another version of the format`(_ version: Int) {
    let line = Self.snapshot([Self.entry("A", count: 1, bytes: 10)]).jsonLine
    let other = line.replacing("\"schema\":1", with: "\"schema\":\(version)")
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(HeapSnapshot.self, from: Data(other.utf8))
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["schema"])
    #expect(context.debugDescription == "expected schema 1, not \(version)")
  }

  @Test func `the text begins with live bytes, free bytes, held bytes and the resident size`() {
    let snapshot = Self.snapshot(
      [
        Self.entry("App.Session", count: 1000, bytes: 48_000), Self.entry("A", count: 1, bytes: 24),
      ],
      other: 2048, free: 3 * Self.mebibyte, resident: 150 * Self.mebibyte)
    let lines = snapshot.text(limit: 1).split(separator: "\n").map(String.init)
    #expect(
      lines[0]
        == "live 46.9 KiB in 1001 objects of 2 types, 2.0 KiB in 3 other blocks; free 3.0 MiB; "
        + "malloc holds 100.0 MiB; resident 150.0 MiB; paused 1.3 ms")
    #expect(
      lines[1...3] == [
        "COUNT  BYTES  TYPE", " 1000  48000  App.Session", "    1     24  (1 more types)",
      ])
  }

  @Test(arguments: [
    (HeapGrowth.Verdict.steady, 1, 1, 1, 1),
    (.liveObjects, 20, 1, 1, 25), (.otherBlocks, 1, 20, 1, 25), (.freeBlocks, 1, 1, 20, 25),
    (.outsideAllocator, 1, 1, 1, 40), (.steady, -50, -50, -50, -90),
  ])
  func `the verdict names the kind of memory that grew most`(
    _ verdict: HeapGrowth.Verdict, objects: Int, other: Int, free: Int, resident: Int
  ) {
    let unit = Self.mebibyte
    let before = Self.snapshot(
      [Self.entry("A", count: 1, bytes: 100 * unit)], other: 100 * unit, free: 100 * unit,
      held: 300 * unit, resident: 300 * unit)
    let after = Self.snapshot(
      [Self.entry("A", count: 2, bytes: (100 + objects) * unit)], other: (100 + other) * unit,
      free: (100 + free) * unit, held: (300 + objects + other + free) * unit,
      resident: (300 + resident) * unit)
    #expect(after.growth(since: before).verdict == verdict)
  }

  @Test func `types that grew are sorted by bytes, with the paths of the first five`() {
    let names = (0..<8).map { "T\($0)" }
    let before = Self.snapshot(names.map { Self.entry($0, count: 10, bytes: 100) })
    let after = Self.snapshot(
      names.enumerated().map { index, name in
        Self.entry(name, count: 10 + index, bytes: 100 + 10 * index, path: Self.path)
      })
    let growth = after.growth(since: before)
    #expect(growth.grown.map(\.typeName) == ["T7", "T6", "T5", "T4", "T3", "T2", "T1"])
    #expect(growth.grown[0].countGrowth == 7 && growth.grown[0].byteGrowth == 70)
    let text = growth.text(limit: 2)
    #expect(text.contains("    +7    +70     17  T7") && !text.contains(" T5\n"))
    #expect(text.contains("(5 more types grew)"))
    #expect(text.components(separatedBy: Self.path.text).count == 6)
    let shrunk = before.growth(since: after)
    #expect(shrunk.grown.isEmpty && shrunk.rows.last?.byteGrowth == -70)
  }
}
