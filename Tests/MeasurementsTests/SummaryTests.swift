import Measurements
import SeededTesting
import Testing

struct SummaryTests {
  @Test func `a summary covers the trials of one series from all runs and seeds`() throws {
    var measurements = [
      Measurement.trial(1, of: "mutex", nanosecondsPerOperation: 30),
      .trial(1, of: "actor", nanosecondsPerOperation: 100),
      .trial(2, of: "mutex", nanosecondsPerOperation: 10),
      .trial(3, of: "mutex", nanosecondsPerOperation: 20),
    ]
    measurements[3].identity.run = "run-2"
    let summaries = Summary.summaries(of: measurements)
    #expect(summaries.map(\.series.configuration.backend) == ["mutex", "actor"])
    let mutex = try #require(summaries.first)
    #expect(mutex.trials == 3)
    #expect(mutex.nanosecondsPerOperation.bySession == [[30, 10], [20]] && mutex.sessions == 2)
    #expect(mutex.medianNanosecondsPerOperation == 20)
    #expect(mutex.minNanosecondsPerOperation == 10)
    #expect(mutex.maxNanosecondsPerOperation == 30)
    #expect(mutex.medianOperationsPerSecond == 5e7)
  }

  @Test func `the throughput of two trials is the throughput at their median time`() throws {
    let trials = [10.0, 100].enumerated().map { index, time in
      Measurement.trial(index + 1, of: "mutex", nanosecondsPerOperation: time)
    }
    let summary = try #require(Summary.summaries(of: trials).first)
    #expect(abs(summary.medianOperationsPerSecond - 1e9 / 55) < 1)
    #expect(summary.isScattered && summary.scatterSymbol == "~")
    let steady = try #require(Summary.summaries(of: [trials[0]]).first)
    #expect(!steady.isScattered && steady.scatterSymbol.isEmpty)
  }

  @Test func `trials with another number of entries, kind or machine form another series`() {
    var elsewhere = Measurement.trial(4, of: "mutex", nanosecondsPerOperation: 1)
    elsewhere.environment.machine = "elsewhere"
    let measurements = [
      Measurement.trial(1, of: "mutex", nanosecondsPerOperation: 1),
      .trial(2, of: "mutex", nanosecondsPerOperation: 1, entries: 64),
      .trial(3, of: "mutex", nanosecondsPerOperation: 1, kind: .peer),
      elsewhere,
    ]
    #expect(Summary.summaries(of: measurements).map(\.trials) == [1, 1, 1, 1])
  }
}

struct MarkTests {
  @Test func `a summary competes only with summaries that differ in nothing but the backend`() {
    var measurements: [Measurement] = []
    for trial in 1...3 {
      let time = Double(trial)
      let rows: [Measurement] = [
        .trial(trial, of: "mutex", nanosecondsPerOperation: 10 + time),
        .trial(trial, of: "actor", nanosecondsPerOperation: 100 + time),
        .trial(trial, of: "mutex", nanosecondsPerOperation: 50 + time, entries: 64),
        .trial(trial, of: "actor", nanosecondsPerOperation: 50 + time, entries: 64),
        .trial(trial, of: "lock-and-dictionary", nanosecondsPerOperation: time, kind: .peer),
      ]
      measurements += rows.map { row in
        var row = row
        row.trial.session = trial
        return row
      }
    }
    let marks = Mark.marks(for: Summary.summaries(of: measurements))
    #expect(marks == [.best, .none, .contender, .contender, .none])
  }
}

struct SummaryCSVTests {
  /// Returns a series with `trials` trials in each of `sessions` sessions.
  private func rows(sessions: Int, trials: Int) -> [Measurement] {
    (1...sessions).flatMap { session in
      (1...trials).map { number in
        var row = Measurement.trial(
          session * 100 + number, of: "mutex",
          nanosecondsPerOperation: Double(100 + 10 * session + number))
        row.trial.session = session
        return row
      }
    }
  }

  private func lines(_ rows: [Measurement]) -> [[String: String]] {
    let text = SummaryCSV(of: rows, drawingFrom: SeededGenerator(seed: 1)).text
    let lines = text.split(separator: "\n").map { line in
      line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(lines[0], $0)) }
  }

  @Test
  func `many sessions count as values, and their variance is separate from the trials' variance`()
    throws
  {
    let line = try #require(
      lines(rows(sessions: 7, trials: 3)).first { $0["metric"] == "ns_per_op" })
    #expect(line["trials"] == "21" && line["sessions"] == "7" && line["median_of"] == "sessions")
    // The medians of the sessions are 112, 122, … 172. The trials of each are 1 apart.
    #expect(line["median"] == "142.0" && line["confidence"] == "0.95")
    #expect(line["within_session_variance"].flatMap(Double.init) == 1)
    let between = try #require(line["between_session_variance"].flatMap(Double.init))
    #expect(abs(between - (2800.0 / 6 - 1.0 / 3)) < 1e-9)
    let low = try #require(line["median_low"].flatMap(Double.init))
    let high = try #require(line["median_high"].flatMap(Double.init))
    #expect(low >= 112 && low < 142 && high > 142 && high <= 172)
  }

  @Test
  func `the interval of a few sessions' trials includes the differences between sessions`() throws {
    func width(_ rows: [Measurement]) throws -> Double {
      var generator = SeededGenerator(seed: 1)
      let summary = try #require(
        MetricSummary(
          of: rows, .nanosecondsPerOperation, Bootstrap(resamples: 200), using: &generator))
      #expect(!summary.isOfSessions)
      let interval = try #require(summary.interval)
      return interval.upperBound - interval.lowerBound
    }
    let rows = rows(sessions: 4, trials: 5)
    var mixed = rows
    for index in mixed.indices { mixed[index].trial.session = 1 }
    #expect(try width(rows) > width(mixed))
  }

  @Test
  func `a figure that the trials do not determine is empty, and an unmeasured metric has no line`()
    throws
  {
    let summaries = lines(
      rows(sessions: 1, trials: 3).map { row in
        var row = row
        row.bytes.livePerEntry = nil
        return row
      })
    let line = try #require(summaries.first { $0["metric"] == "ns_per_op" })
    #expect(line["median"] == "112.0" && line["median_of"] == "trials" && line["sessions"] == "1")
    for column in [
      "median_low", "median_high", "confidence", "within_session_variance",
      "between_session_variance",
    ] {
      #expect(line[column] == "", "\(column)")
    }
    #expect(!summaries.contains { $0["metric"] == "live_bytes_per_entry" })
    #expect(line["commit"] == "g42cc03a9-dirty" && line["threads"] == "8")
  }

  /// A column that distinguishes series must be in the file, because its lines could otherwise look
  /// the same.
  @Test(arguments: MeasurementCSV.columnNames)
  func `each column that distinguishes series is in the file`(_ column: String) throws {
    var changed = Grid(of: [.complete])
    let other = Grid(of: [.sparse])
    changed[1, column] = other[1, column]
    guard let row = try? MeasurementCSV.measurements(in: changed.text).first else { return }
    let isSeries = Series(of: row) != Series(of: .complete)
    #expect(isSeries == SummaryCSV.seriesColumns.contains(column) || row == .complete)
  }
}
