import Measurements
import Testing

struct OlderFilesTests {
  static let optionalColumns = [
    "cpu", "host_cores", "os", "kernel", "mutex_flavor", "commit", "key_type", "value_type",
    "key_distribution", "warmup_seconds", "latency_samples", "clock_ns", "p50_ns", "p90_ns",
    "p99_ns", "p999_ns", "max_ns", "jain_index", "voluntary_switches_per_op",
    "involuntary_switches_per_op", "cas_failures_per_op", "allocated_bytes_per_op",
    "freed_bytes_per_op", "live_bytes_per_entry", "peak_live_bytes",
    "run_queue_wait_ns_per_op", "lock_wait_share", "max_to_min_operations",
    "epoch_advances_per_op", "failed_advances_per_op", "limbo_peak_entries", "cycles_per_op",
    "instructions_per_op", "cache_misses_per_op", "session", "plan", "shard", "roles",
    "target_ops_per_second",
    "load_percent", "service_p50_ns", "service_p90_ns", "service_p99_ns", "service_p999_ns",
    "service_p9999_ns", "service_max_ns", "intended_p50_ns", "intended_p90_ns", "intended_p99_ns",
    "intended_p999_ns", "intended_p9999_ns", "intended_max_ns", "backlog_operations", "limbo_bytes",
  ]
  /// These may be missing too, and are then something else than nil.
  static let columnsWithDefault = ["mode"]

  @Test(arguments: optionalColumns)
  func `an optional column may be empty or missing, with the same result`(
    _ column: String
  ) throws {
    var emptied = Grid(of: [.complete])
    emptied[1, column] = ""
    var removed = Grid(of: [.complete])
    removed.remove(column)
    let measurements = try MeasurementCSV.measurements(in: emptied.text)
    #expect(measurements != [.complete])
    #expect(try MeasurementCSV.measurements(in: removed.text) == measurements)
    // Written again, that field alone is empty.
    #expect(Grid(of: measurements).rows == emptied.rows)
  }

  @Test func `a row without a mode is of a closed loop`() throws {
    var emptied = Grid(of: [.complete])
    emptied[1, "mode"] = ""
    var removed = Grid(of: [.complete])
    removed.remove("mode")
    var expected = Measurement.complete
    expected.configuration.pace.mode = .closed
    #expect(try MeasurementCSV.measurements(in: emptied.text) == [expected])
    #expect(try MeasurementCSV.measurements(in: removed.text) == [expected])
  }

  @Test(
    arguments: MeasurementCSV.columnNames.filter {
      !(optionalColumns + columnsWithDefault + ["schema"]).contains($0)
    })
  func `a required column may be neither`(_ column: String) throws {
    var removed = Grid(of: [.complete])
    removed.remove(column)
    #expect(throws: ResultsError.missingColumn(column)) {
      try MeasurementCSV.measurements(in: removed.text)
    }
    var emptied = Grid(of: [.complete])
    emptied[1, column] = ""
    let error = #expect(throws: ResultsError.self) {
      try MeasurementCSV.measurements(in: emptied.text)
    }
    guard case .malformed(column, 2, emptied.position(of: column) + 1, "", _) = error else {
      Issue.record("not reported as malformed: \(String(describing: error))")
      return
    }
  }

  @Test func `a file without the trailing columns reads as not measured`() throws {
    var older = Grid(of: [.complete])
    let kept = older.position(of: "ops_per_second") + 1
    older.rows = older.rows.map { Array($0.prefix(kept)) }
    var expected = Measurement.complete
    (expected.identity.plan, expected.identity.shard) = (nil, nil)
    expected.latency = Measurement.Latency()
    expected.contention = Measurement.Contention()
    expected.bytes = Measurement.Bytes()
    expected.configuration.roles = nil
    expected.trial.session = nil
    expected.configuration.pace = .closed
    expected.openLoop = Measurement.OpenLoop()
    #expect(try MeasurementCSV.measurements(in: older.text) == [expected])
  }

  @Test func `without a schema, a file has to have the lines of its sessions`() throws {
    var grid = Grid(of: [.complete])
    grid[1, "schema"] = ""
    #expect(throws: ResultsError.self) { try MeasurementCSV.measurements(in: grid.text) }
    grid.remove("schema")
    #expect(throws: ResultsError.missingSession(run: "run-1", number: 2, line: 2)) {
      try MeasurementCSV.measurements(in: grid.text)
    }
  }

  @Test(arguments: [("fork", "session"), ("size", "entries")])
  func `a column had another name`(_ earlier: String, _ name: String) throws {
    var older = Grid(of: [.complete])
    older.rows[0][older.position(of: name)] = earlier
    #expect(try MeasurementCSV.measurements(in: older.text) == [.complete])
    var writer = try MeasurementWriter(parts: [], continuing: older.text)
    var next = Measurement.complete
    next.identity.row = "next"
    #expect(
      try MeasurementCSV.measurements(in: older.text + writer.lines(for: next))
        == [.complete, next])
    let header = OlderFile.header.split(separator: ",").map(String.init)
    #expect(try MeasurementCSV.columnNames(in: older.text) == header)
    #expect(header.sorted() == MeasurementCSV.columnNames.sorted())
  }

  @Test func `columns may come in any order, with unknown ones between`() throws {
    var permuted = Grid(of: [.complete, .sparse])
    permuted.rows = permuted.rows.map { $0.reversed() }
    permuted.rows[0].insert("later", at: 3)
    permuted.rows[1].insert("\"any, thing\"", at: 3)
    permuted.rows[2].insert("", at: 3)
    #expect(try MeasurementCSV.measurements(in: permuted.text) == [.complete, .sparse])
  }
}
