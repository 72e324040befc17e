import ProgramTesting
import LeakMonitoring
import Testing

@testable import leakwatch

struct WatchedLeaksTests {
  private func watched(_ records: LeakRecord...) -> WatchedLeaks {
    var watched = WatchedLeaks()
    for record in records { watched.note(record) }
    return watched
  }

  @Test func `counts are the last reported ones, and late deallocations end leaks`() {
    let watched = watched(
      .example(live: 2), .example(live: 4, after: 1500), .example(.late, live: 4, after: 2000))
    let row = watched.rows[0]
    #expect(row.name == "App.Session" && row.max == 1 && row.leaked == 1 && row.late == 1)
    #expect(row.series.samples.map(\.count) == [2, 4])
    #expect(row.series.samples.map(\.seconds) == [0, 1.5])
    #expect(watched.leakMessages.count == 1)
    #expect(watched.leakMessages[0].hasPrefix("App/Session.swift:7: Session: 4 instances"))
  }

  @Test func `a survivor has no live count, and a group has a row of its own`() {
    let watched = watched(
      .example(.leaked, .survivor(after: .seconds(1)), type: "App.Screen", live: 1, max: 0),
      .example(live: 9, max: 5, group: "Checkout"))
    #expect(watched.rows.map(\.name) == ["group Checkout", "App.Screen"])
    #expect(watched.rows.map(\.series.last) == [9, nil])
    #expect(watched.rows.map(\.max) == [5, nil])
    #expect(watched.rows.map(\.leaked) == [4, 1])
  }

  @Test func `the first report of a class adds its history`() {
    let history = [(0, 1), (4, 2), (5, 3)].map {
      CountSample(time: .seconds($0.0), liveCount: $0.1)
    }
    let watched = watched(
      .example(live: 3, history: history), .example(live: 4, history: history, after: 1000))
    let samples = watched.rows[0].series.samples
    #expect(samples.map(\.count) == [1, 2, 3, 3, 4])
    #expect(samples.map(\.seconds) == [0, 4, 5, 5, 6])
  }

  @Test func `classes with leaks come first, then classes with the most instances`() {
    var watched = watched(.example(type: "App.Leaking"))
    watched.note(liveCounts: ["App.Few": 1, "App.Many": 9, "App.Also": 9], at: 1)
    #expect(watched.rows.map(\.name) == ["App.Leaking", "App.Also", "App.Many", "App.Few"])
  }
}

struct CountSeriesTests {
  @Test(arguments: [1, 2, 511, 512, 513, 514, 1024, 1025, 5000, 100_000])
  func `memory is bounded, the first and the last sample are kept, and times increase`(_ count: Int)
  {
    var series = CountSeries()
    for index in 0..<count { series.append(index, at: Double(index)) }
    #expect(series.samples.count <= CountSeries.capacity)
    #expect(series.samples.count >= min(count, CountSeries.capacity / 2))
    #expect(series.samples.first?.count == 0 && series.last == count - 1)
    let times = series.samples.map(\.seconds)
    #expect(times == times.sorted() && Set(times).count == times.count)
  }

  @Test func `the time of a sample that arrives late is not before the previous one`() {
    var series = CountSeries()
    series.append(1, at: 5)
    series.append(2, at: 3)
    #expect(series.samples.map(\.seconds) == [5, 5] && series.last == 2)
  }
}
