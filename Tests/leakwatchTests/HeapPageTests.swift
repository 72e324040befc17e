import Foundation
import LeakReports
import Testing

@testable import leakwatch

struct HeapPageTests {
  private static let tree = DominatorTree(
    nodes: [
      .init(parent: nil, kind: .globals, retainedBytes: 2000),
      .init(parent: nil, kind: .tasks, retainedBytes: 0),
      .init(
        parent: 0, kind: .object, typeName: "App.<Root>", count: 1, bytes: 48, retainedBytes: 2000),
      .init(
        parent: 2, kind: .closure, typeName: "(App.A)", count: 1200, bytes: 100, retainedBytes: 150),
      .init(parent: 2, kind: .other, count: 2, bytes: 99, retainedBytes: 99),
    ], limit: 4)

  private static func page(_ dominators: DominatorTree?) -> String {
    let snapshot = HeapSnapshot(
      process: 7, millisecondsSince1970: 0, pauseNanoseconds: 1000,
      entries: [.init(kind: .object, typeName: "App.<Root>", count: 1, bytes: 48)],
      otherCount: 0, otherBytes: 0, freeBytes: 0, heldBytes: 4096, residentBytes: nil,
      dominators: dominators)
    return HeapPage(snapshot).html
  }

  @Test func `each node has its retained and own bytes, its share and its count`() {
    let html = Self.page(Self.tree)
    #expect(html.contains("App.&lt;Root&gt;") && !html.contains("App.<Root>"))
    func cells(_ values: [String]) -> String {
      zip(["retained", "of all", "own", "count"], values)
        .map { "<span data-column=\"\($0)\">\($1)</span>" }.joined()
    }
    #expect(html.contains("global variables</span>" + cells(["2.0 KiB", "100.0 %", "–", "–"])))
    #expect(html.contains("captures (App.A)</span>" + cells(["150 B", "7.5 %", "100 B", "1,200"])))
    #expect(html.contains("1 more type, each of which retains less"))
    // A node that retains at least a tenth is expanded. An origin that retains nothing is left out.
    #expect(html.components(separatedBy: "<details open=\"\">").count == 3)
    #expect(!html.contains(">tasks<"))
  }

  @Test func `the page says that references are conservative, and when there is no tree`() {
    #expect(Self.page(Self.tree).contains("Every line is probable, not certain: "))
    #expect(Self.page(Self.tree).contains("References are found conservatively."))
    #expect(!Self.page(Self.tree).contains("has no tree"))
    #expect(Self.page(nil).contains("This snapshot has no tree"))
  }
}
