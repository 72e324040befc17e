import Foundation
import Testing

@testable import Charts
@testable import leakwatch

struct LeakPageTests {
  private func subject(_ name: String, _ counts: [Int]) -> LeakPage.Subject {
    LeakPage.Subject(
      name: name, live: counts.last, max: 1, leaked: 2, late: 0,
      history: counts.enumerated().map { (Double($0), $1) })
  }

  private func page(_ subjects: [LeakPage.Subject]) -> String {
    LeakPage(subjects: subjects, summary: "a summary", messages: ["a <message>"]).html
  }

  @Test func `the page has a chart of all classes, one of each with counts, and a row for each`() {
    let html = page([subject("App.A", [1, 2, 9]), subject("App.B", [0, 1]), subject("App.C", [])])
    #expect(html.components(separatedBy: "<figure data-chart=").count == 4)
    #expect(html.components(separatedBy: "<tr><td class=\"text\">").count == 4)
    #expect(html.contains("a &lt;message&gt;") && html.contains("at most 1, leaked 2, late 0"))
    #expect(html.contains("<td>–</td>"), "an unknown count")
  }

  @Test func `the page states that no counts are known, or that nothing leaks`() {
    #expect(page([]).contains("No counts are known."))
    #expect(LeakPage(subjects: [], summary: "", messages: []).html.contains("Nothing leaks."))
  }

  @Test(arguments: [[1], [0, 1], [0, 0], [3, 40, 200], [1, 7_000]])
  func `the axis of counts is linear, with whole numbers`(_ counts: [Int]) {
    let key = LegendKey(name: "a", role: .backend, place: 0)
    let chart = LeakChart.chart("a", size: .small, [(key, subject("a", counts))])
    guard case .linear(let range) = chart.y.scale else {
      Issue.record("the axis is not linear")
      return
    }
    #expect(range.lowerBound == 0 && range.upperBound >= Double(counts.max()!))
    #expect(chart.y.ticks.count >= 2)
    #expect(chart.y.ticks.allSatisfy { $0.value == $0.value.rounded() })
    #expect(chart.lines[0].curve.count == counts.count && chart.lines[0].points.count == 1)
  }
}
