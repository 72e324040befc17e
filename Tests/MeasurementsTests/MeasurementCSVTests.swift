import Testing

@testable import Measurements

struct MeasurementCSVTests {
  private static let header = """
    row,kind,run,session,timestamp,collection,backend,workload,read_share,insert_share,\
    update_share,remove_share,iterate_share,value_type,driver,threads,entries,key_type,\
    key_distribution,roles,mode,target_ops_per_second,load_percent,seed,trial,seconds,\
    operations,ns_per_op,ops_per_second,latency_samples,clock_ns,p50_ns,p90_ns,p99_ns,\
    p999_ns,max_ns,jain_index,max_to_min_operations,voluntary_switches_per_op,\
    lock_wait_share,involuntary_switches_per_op,run_queue_wait_ns_per_op,\
    cas_failures_per_op,epoch_advances_per_op,failed_advances_per_op,limbo_peak_entries,\
    allocated_bytes_per_op,freed_bytes_per_op,live_bytes_per_entry,peak_live_bytes,\
    limbo_bytes,cycles_per_op,instructions_per_op,cache_misses_per_op,service_p50_ns,\
    service_p90_ns,service_p99_ns,service_p999_ns,service_p9999_ns,service_max_ns,\
    intended_p50_ns,intended_p90_ns,intended_p99_ns,intended_p999_ns,intended_p9999_ns,\
    intended_max_ns,backlog_operations

    """

  @Test func `the header is pinned, with all parts and without any`() {
    #expect(MeasurementWriter(parts: Set(MeasurementCSV.Part.allCases)).header == Self.header)
    #expect(
      MeasurementWriter(parts: []).header == """
        row,kind,run,session,timestamp,collection,backend,workload,read_share,insert_share,\
        update_share,remove_share,iterate_share,value_type,driver,threads,entries,seed,trial,\
        seconds,operations,ns_per_op,ops_per_second,latency_samples,clock_ns

        """)
  }

  @Test func `a complete row and the line of its session are pinned`() {
    #expect(
      MeasurementCSV.text(of: [.complete]) == Self.header + #"""
        # session {"run":"run-1","session":2,"schema":1,"machine":"epyc-2c",\#
        "cpu":"AMD EPYC","cores":2,"host_cores":64,"os":"Debian 12","kernel":"Linux 6.18",\#
        "swift":"swift-6.3.1","mutex_flavor":"pi-futex","allocator":"jemalloc",\#
        "configuration":"release","commit":"g42cc03a9-dirty","warmup_seconds":0.1,\#
        "requested_seconds":0.5,"plan":"plan-2fa9","shard":"2-of-4"}
        run-1-17,subject,run-1,2,2026-08-01T12:34:56Z,dictionary,lock-free,custom,40,30,15,\#
        10,5,Object,threads,8,1024,Int,uniform,reader=6 writer=2,open,25000000.0,70,\#
        9007199254740991,3,0.500000123,12345678,324.0000797040065,24691350.0,12056,22.5,\#
        41.0,97.5,1000.0,25000.0,1e+17,0.987654321,1.5,1e-07,33.25,0.30000000000000004,12.5,\#
        0.0,0.015625,0.001,384,64.0,63.99,48.25,1099511627776,6144,61.5,88.75,0.75,42.0,\#
        98.5,1001.0,26000.0,30000.0,40000.0,55.0,50000.0,60000.0,70000.0,80000.0,90000.0,3

        """#)
  }

  @Test func `reading back gives the same values`() throws {
    let measurements = [Measurement.complete, .sparse]
    let text = MeasurementCSV.text(of: measurements)
    #expect(try MeasurementCSV.measurements(in: text) == measurements)
    #expect(try MeasurementCSV.measurements(in: MeasurementCSV.text(of: [])).isEmpty)
  }

  @Test(arguments: [
    "a,b", "\"", "\"\"", "say \"no\"", "two\nlines", "two\r\nlines", "cr\ronly", ",", " spaced ",
    "naïve 猫 👩‍👩‍👧", "e\u{301}", "=1+1", "trailing,", "\n", "\r\n\r\n", "\"\r\n,\"",
  ])
  func `nasty text survives`(_ nasty: String) throws {
    var measurement = Measurement.complete
    measurement.environment.machine = nasty
    measurement.environment.cpu = nasty
    measurement.environment.commit = nasty
    let text = MeasurementCSV.text(of: [measurement, .sparse])
    let read = try MeasurementCSV.measurements(in: text)
    #expect(read == [measurement, .sparse])
    #expect(read[0].environment.machine.unicodeScalars.elementsEqual(nasty.unicodeScalars))
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func `any line end is read, with or without the last and after a byte order mark`(
    _ lineEnd: String
  ) throws {
    let measurements = [Measurement.complete, .sparse]
    let lines = MeasurementCSV.text(of: measurements).split(separator: "\n")
    let text = lines.joined(separator: lineEnd)
    #expect(try MeasurementCSV.measurements(in: text) == measurements)
    #expect(try MeasurementCSV.measurements(in: text + lineEnd) == measurements)
    #expect(try MeasurementCSV.measurements(in: "\u{FEFF}" + text) == measurements)
  }

  @Test func `not measured is an empty field, and zero is zero`() throws {
    let grid = Grid(of: [.complete, .sparse])
    #expect(grid[1, "cas_failures_per_op"] == "0.0")
    #expect(grid[2, "cas_failures_per_op"] == "")
    #expect(grid[2, "peak_live_bytes"] == "")
    #expect(grid[2, "cpu"] == "")
  }

  @Test func `what cannot be written is named`() {
    #expect(MeasurementCSV.invalidColumn(in: .complete) == nil)
    #expect(MeasurementCSV.invalidColumn(in: .sparse) == nil)
    let spoilings: [(String, (inout Measurement) -> Void)] = [
      ("live_bytes_per_entry", { $0.bytes.livePerEntry = -0.5 }),
      ("ns_per_op", { $0.throughput.nanosecondsPerOperation = .infinity }),
      ("p99_ns", { $0.latency.p99Nanoseconds = .nan }),
      ("seed", { $0.trial.seed = 1 << 53 }),
      ("cpu", { $0.environment.cpu = "" }),
      ("machine", { $0.environment.machine = "" }),
      ("swift", { $0.environment.swift = "6.3" }),
      ("commit", { $0.environment.commit = "1e10" }),
      ("read_share", { $0.configuration.shares.read = 101 }),
    ]
    for (column, spoil) in spoilings {
      var measurement = Measurement.complete
      spoil(&measurement)
      #expect(MeasurementCSV.invalidColumn(in: measurement) == column)
    }
  }
}
