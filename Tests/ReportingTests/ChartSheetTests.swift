import Testing

@testable import Charts
@testable import Reporting

@Suite struct ChartSheetTests {
  @Test func `a sheet is wide enough for the line above its charts`() {
    let subtitle = String(repeating: "m", count: 100)
    let sheet = ChartSheet(title: "dictionary", subtitle: subtitle, rows: [])
    #expect(sheet.svg.contains("width=\"732\""))
  }
}
