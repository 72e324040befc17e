import ArgumentParser
import BenchmarkCommands
import Benchmarking
import Choosing
import Foundation
import Measurements
import ProgramTesting
import TerminalIO
import Testing
import WeakCollections
import Workloads

@testable import BenchmarkProgram

/// Tests of the answers of `choose` from rows of a benchmark.
@Suite struct ChooseTests {
  /// Three sessions of two backends, at 1 and 8 threads of a machine with 4 cores.
  static func rows(
    lockFree: [Double] = [60, 61, 62], mutex: [Double] = [80, 81, 82]
  ) -> [Measurement] {
    let costs = [("lock-free", lockFree), ("mutex", mutex)]
    var rows: [Measurement] = []
    for (backend, times) in costs {
      for threads in [1, 8] {
        for (index, time) in times.enumerated() {
          var row = Measurement.example(
            rows.count + 1, backend, threads: threads, nanosecondsPerOperation: time)
          row.environment.kernel = "Linux 6.18.44 x86_64"
          row.environment.mutexFlavor = "priority-inheritance"
          row.environment.cores = 4
          (row.trial.session, row.trial.number) = (index + 1, index + 1)
          row.bytes.livePerEntry = backend == "mutex" ? 20 : 40
          rows.append(row)
        }
      }
    }
    return rows
  }

  private static func report(
    _ rows: [Measurement], _ line: String = "--workload read-heavy --threads 1"
  ) throws -> ChoiceReport {
    let words = "--collection dictionary \(line)".split(separator: " ").map(String.init)
    let command = try ChooseCommand.parse(words)
    let types = try command.choice.operations.entryTypes()
    let source = try ChoiceSource(
      rows, command.selection, cores: .value(try command.choice.givenCores(nil)), types: types)
    let profile = try command.choice.workloadProfile(nil, otherwiseCores: source.key.cores)
    return ChoiceReport(
      profile, .throughput, source, types: types, assumptions: command.choice.assumptions(nil))
  }

  @Test func `a recommendation has its costs, its margin and the rows that support it`() throws {
    let report = try Self.report(Self.rows(), "--workload read-heavy --threads 8")
    #expect(report.status == .fine)
    #expect(report.recommendation.backend == .lockFree)
    #expect(report.profile.cores == 4)
    #expect(report.rows == ["run-1-4", "run-1-5", "run-1-6", "run-1-10", "run-1-11", "run-1-12"])
    let text = ChoiceText(report: report, explains: false).text
    #expect(
      text.hasPrefix("lock-free, about 61.0 (60.0–62.0) ns per operation, 40.0 bytes per entry"))
    #expect(text.contains("\nnext: mutex, costs 1.33 (1.31–1.34) times as much\n"))
    #expect(!text.contains("undecided") && !text.contains("outside"))
    #expect(text.contains(", 8 threads, 4 cores (assumed), 1024 entries (assumed)\n"))
    #expect(text.contains("\nmeasured: rows of amd-epyc-2c-24gib-debian-12, Swift 6.3, "))
    #expect(text.contains("4 cores; at read-heavy, 8 threads, 1024 entries\n"))
    #expect(
      text.contains(
        "\nsure: every other backend costs more, by intervals of 95 % over 3 sessions\n"))
    #expect(text.contains("\nnot measured: barrier-queue, read-write-lock, actor, "))
  }

  @Test func `points of different runs are compared in groups of sessions`() throws {
    let few = Self.rows()
    let many = Self.rows(lockFree: [120, 122, 124], mutex: [240, 245, 250]).map { row in
      var row = row
      row.identity.run = "run-2"
      row.identity.row = row.identity.row.replacing("run-1", with: "run-2")
      row.configuration.entries = 16_384
      return row
    }
    let report = try Self.report(
      few + many, "--workload read-heavy --threads 8 --entries 4096")
    #expect(report.status == .outsideMeasured && report.notCompared == [])
    let text = ChoiceText(report: report, explains: false).text
    #expect(
      text.contains(
        "\nthere, lock-free is the cheapest, by intervals of 95 % over 3 groups of sessions\n"))
    // One session of the larger collection is not enough.
    let one = few + many.filter { $0.trial.session == 1 }
    let unsure = try Self.report(one, "--workload read-heavy --threads 8 --entries 4096")
    #expect(unsure.contest.leader == nil && unsure.notCompared == [.lockFree, .mutex])
  }

  @Test func `without a collection the error names the missing option`() throws {
    let options = try ChoiceOptions.parse(["--workload", "read-heavy"])
    let error = try commandError { _ = try options.workloadProfile(nil, otherwiseCores: 2) }
    #expect(error.description.hasPrefix("--collection is missing, but choose needs one (allowed: "))
  }

  @Test func `the output ends with the lines to paste`() throws {
    let text = ChoiceText(report: try Self.report(Self.rows()), explains: true).text
    #expect(
      text.hasSuffix(
        """

        to paste, the type, which is the default unless a trait selects another:
          let entries = LockFreeDictionary<Key, Value>()
        """))
    let other = try Self.report(Self.rows(mutex: [30, 31, 32]))
    #expect(
      ChoiceText(report: other, explains: false).text.hasSuffix(
        """

        to paste, the type, or the trait that makes it the default:
          let entries = MutexDictionary<Key, Value>()
          traits: ["MutexBackend"]  // of the dependency, in Package.swift
        """))
    #expect(text.contains("rows: run-1-1 run-1-2 run-1-3 run-1-7"))
    #expect(text.contains("mutex      81.0 (80.0–82.0)"))
  }

  @Test func `the default number of threads is the number of cores`() throws {
    let report = try Self.report(Self.rows(), "--workload read-heavy")
    #expect(report.profile.threads == 4)
    #expect(ChoiceText(report: report, explains: false).text.contains(", 4 threads (assumed), "))
  }

  @Test func `one session is only indicative, and equal costs are equivalent`() throws {
    var rows = Self.rows()
    for index in rows.indices { rows[index].trial.session = 1 }
    let report = try Self.report(rows)
    #expect(report.status == .undecided && report.backend == .lockFree)
    #expect(
      ChoiceText(report: report, explains: false).text
        .contains("\nlock-free is the cheapest in the one session measured; another may differ\n"))
    let equal = try Self.report(Self.rows(lockFree: [80, 81, 82.1]))
    #expect(equal.status == .fine && Set(equal.equivalent) == [.lockFree, .mutex])
    #expect(ChoiceText(report: equal, explains: false).text.contains("\nequivalent: "))
  }

  @Test func `if the trials do not distinguish backends, the answer is the default`() throws {
    let report = try Self.report(Self.rows(lockFree: [60, 61, 100]))
    #expect(report.status == .undecided)
    let text = ChoiceText(report: report, explains: false).text
    #expect(text.hasPrefix("no difference was decided; the default is lock-free, about 61.0 ("))
    #expect(
      text.contains("\nundecided between: lock-free, mutex, by intervals of 95 % over 3 sessions\n")
    )
    #expect(!text.contains("\nnext: "))
    let cheaper = try Self.report(Self.rows(lockFree: [60, 200, 100]))
    #expect(cheaper.contest.leader == .mutex && cheaper.backend == .lockFree)
    let wide = try Self.report(Self.rows(mutex: [20, 300, 400]))
    #expect(
      ChoiceText(report: wide, explains: false).text
        .contains("\nundecided between: lock-free; undecided (range): mutex, by intervals of "))
  }

  @Test func `a default that is known to be slower is named as such`() throws {
    let third = Self.rows(lockFree: [], mutex: [32, 30, 36]).map { row in
      var row = row
      row.configuration.backend = "actor"
      row.identity.row += "-actor"
      return row
    }
    let report = try Self.report(Self.rows(mutex: [30, 31, 33]) + third)
    #expect(report.status == .undecided && report.backend == .mutex)
    #expect(
      ChoiceText(report: report, explains: false).text.hasPrefix(
        "no winner was decided; the default, lock-free, is slower than mutex, about 31.0 ("))
  }

  @Test func `the trials of one session decide for that session only`() throws {
    var rows = Self.rows()
    for index in rows.indices {
      rows[index].trial.number = rows[index].trial.session ?? 1
      rows[index].trial.session = 1
    }
    let report = try Self.report(rows)
    #expect(report.contest.outcome == .won(by: .lockFree) && report.contest.isIndicative)
    #expect(report.contest.margin?.interval != nil && report.next == nil)
  }

  @Test func `the backends of the compiled calibration are compared by sessions`() throws {
    let source = try ChoiceSource(nil, try RowSelection.parse([]))
    let key = try #require(Calibration.compiled.keys.first)
    let profile = WorkloadProfile(
      collection: .dictionary, workload: "read-only", shares: OperationShares(read: 100),
      threads: 1, cores: key.cores, entries: 1024, synchronousOnly: false)
    guard key == .current else { return }
    let report = ChoiceReport(profile, .throughput, source)
    #expect(report.contest.leader != nil && report.contest.others.count > 3)
    #expect(report.recommendation.isMeasured && report.rows.isEmpty)
  }

  @Test func `a percentage of reads is a mix whose writes keep the number of entries`() throws {
    let report = try Self.report(Self.rows(), "--reads 95 --threads 8 --keys int --entries 1024")
    #expect(report.profile.shares == OperationShares(read: 95, insert: 3, remove: 2))
    #expect(report.profile.entries == 1024 && report.status == .fine)
    let text = ChoiceText(report: report, explains: false).text
    #expect(text.contains("\nasked: dictionary, read=95,insert=3,remove=2, 8 threads, "))
    let error = try commandError { _ = try Self.report(Self.rows(), "--reads 95 --mix read=100") }
    #expect(error.description.hasPrefix("--mix and --reads exclude each other"))
  }

  /// No figure of another question, and the commands that measure this one.
  @Test(arguments: [
    ("--keys string --threads 8 --entries 1024", "keys of type string"),
    ("--values object --threads 8 --entries 1024", "values of type object"),
    (
      "--keys string --values object --threads 8 --entries 50000",
      "keys of type string; values of type object; 50000 entries"
    ),
    ("--keys int --threads 8 --entries 1000", "1000 entries"),
    ("--keys int --threads 3 --entries 1024", "3 threads"),
    ("--keys int --threads 64 --entries 1", "64 threads; 1 entry"),
  ])
  func `a question that was not measured has no figure`(
    _ line: String, _ gaps: String
  ) throws {
    let report = try Self.report(Self.rows(), "--reads 95 \(line)")
    #expect(report.status == .outsideMeasured && report.backend == .lockFree)
    for explains in [false, true] {
      let text = ChoiceText(report: report, explains: explains).text
      #expect(text.hasPrefix("not measured; the default is lock-free\nasked: "))
      #expect(text.contains("\nnot measured: \(gaps); "), "\(text)")
      #expect(text.contains("\nmeasured nearest: "))
      for word in ["sure", " ns", "bytes", "times as much", "paste"] {
        #expect(!text.replacing("measure", with: "").contains(word), "\(word) in \(text)")
      }
    }
    #expect(!report.json.contains("nanosecondsPerOperation"), "\(report.json)")
    // The commands are accepted, and the rows that the first one measures answer the second.
    let commands = report.measuring.map { $0.split(separator: " ").map(String.init) }
    let starts = commands.map { Array($0.prefix(2)) }
    #expect(starts == [["weakbench", "run"], ["weakbench", "choose"]])
    let options = try RunOptions.parse(Array(commands[0].dropFirst(2)))
    let plan = try RunPlan(options, usableCores: 4, drawnSeed: .fixed)
    #expect((40...80).contains(plan.estimatedSeconds))
    var rows = Self.rows()
    for index in rows.indices {
      let backend = rows[index].configuration.backend
      let trial = plan.trials.first { $0.configuration.backend == backend }
      rows[index].configuration = try #require(trial).configuration
    }
    let question = try ChooseCommand.parse(Array(commands[1].dropFirst(3)))
    let types = try question.choice.operations.entryTypes()
    let source = try ChoiceSource(rows, question.selection, types: types)
    let profile = try question.choice.workloadProfile(nil, otherwiseCores: source.key.cores)
    let answer = ChoiceReport(profile, .throughput, source, types: types)
    #expect(answer.isMeasured && answer.status == .fine && answer.measuring == [])
  }

  @Test func `rows answer questions about their own types`() throws {
    var rows = Self.rows()
    let line = "--workload read-heavy --threads 8 --keys string"
    for index in rows.indices {
      rows[index].configuration.keyType = "String"
      rows[index].configuration.valueType = "Int"
    }
    #expect(try Self.report(rows, line).status == .fine)
    let other = try Self.report(rows, "--workload read-heavy --threads 8 --values object")
    #expect(other.status == .outsideMeasured && other.types.measured == .stringToInteger)
    let text = ChoiceText(report: other, explains: false).text
    #expect(text.contains(", keys string, values int; at read-heavy, 8 threads, 1024 entries\n"))
    #expect(text.contains("\nwithValue(forKey:) reads an object without retaining it\n"))
    let wrong = try commandError { _ = try Self.report(rows, "--reads 95 --keys strin") }
    #expect(wrong.description.contains("did you mean string?"))
  }

  @Test(arguments: [
    ("--workload read-heavy --threads 64", "8 times the measured threads"),
    ("--workload read-heavy --entries 64", "1/16 of the measured entries"),
    ("--mix update=100", "100 % of the operations match no measured mix"),
    ("--workload leak-monitor", "the workload leak-monitor was not measured"),
  ])
  func `a question outside the measured range is reported, with status 4`(
    _ line: String, _ said: String
  ) throws {
    let report = try Self.report(Self.rows(), line)
    #expect(report.status == .outsideMeasured)
    #expect(report.recommendation.backend == .lockFree)
    let text = ChoiceText(report: report, explains: false).text
    #expect(text.contains("\noutside the measured range: "), "\(text)")
    #expect(text.contains(said), "\(text)")
  }

  @Test func `an unmeasured number of cores yields the documented default`() throws {
    let report = try Self.report(Self.rows(), "--workload read-heavy --cores 64")
    #expect(report.status == .outsideMeasured && !report.recommendation.isCalibrated)
  }

  @Test(arguments: [
    ("--machine", "a-machine", "amd-epyc-2c-24gib-debian-12"),
    ("--allocator", "jemalloc", "system"),
    ("--compiler", "6.4", "6.3.1"),
  ])
  func `rows of several machines, allocators or compilers are refused unless one is named`(
    _ option: String, _ other: String, _ mine: String
  ) throws {
    var rows = Self.rows()
    for index in rows.indices where rows[index].configuration.backend == "mutex" {
      rows[index].identity.row += "-other"
      switch option {
      case "--machine": rows[index].environment.machine = other
      case "--allocator": rows[index].environment.allocator = other
      default: rows[index].environment.swift = "swift-\(other)"
      }
    }
    let refusal = try commandError { _ = try Self.report(rows) }
    #expect(refusal.status == .badData)
    #expect(refusal.description.contains(option) && refusal.description.contains("'\(other)'"))
    for (name, backend) in [(mine, Backend.lockFree), (other, .mutex)] {
      let report = try Self.report(rows, "--workload read-heavy \(option) \(name)")
      #expect(report.recommendation.ranking.map(\.backend) == [backend])
    }
    let unknown = try commandError {
      _ = try Self.report(rows, "--workload read-heavy \(option) none")
    }
    #expect(unknown.status == .usage && unknown.description.contains(mine))
  }

  @Test func `rows of a debug build are refused unless they are selected`() throws {
    var rows = Self.rows()
    for index in rows.indices.prefix(2) { rows[index].environment.buildConfiguration = "debug" }
    let refusal = try commandError { _ = try Self.report(rows) }
    #expect(refusal.status == .badData)
    #expect(
      refusal.description.hasPrefix("2 of 12 rows are of a build not fit to measure, 'debug'"))
    let release = try Self.report(rows, "--workload read-heavy --threads 1 --configuration release")
    #expect(release.rows.count == 4)
    let debug = try Self.report(rows, "--workload read-heavy --threads 1 --configuration debug")
    #expect(debug.recommendation.ranking.map(\.backend) == [.lockFree])
  }

  @Test func `only rows with the requested number of cores count`() throws {
    var rows = Self.rows()
    for index in rows.indices where rows[index].configuration.backend == "mutex" {
      rows[index].environment.cores = 16
    }
    let refusal = try commandError { _ = try Self.report(rows) }
    #expect(refusal.status == .badData && refusal.description.contains("--cores"))
    let report = try Self.report(rows, "--workload read-heavy --cores 16")
    #expect(report.recommendation.ranking.map(\.backend) == [.mutex])
  }

  @Test func `the machine is selected before the cores`() throws {
    var rows = Self.rows()
    for index in rows.indices where rows[index].configuration.backend == "mutex" {
      rows[index].environment.machine = "other"
      rows[index].environment.cores = 16
    }
    let report = try Self.report(rows, "--workload read-heavy --cores 4 --machine other")
    #expect(report.origin.contains("other"))
    #expect(!report.recommendation.isCalibrated && report.profile.cores == 4)
  }

  @Test func `rows without a cost sample are bad data`() throws {
    let rows = [Measurement.example(1, "ns-lock", kind: .peer)]
    #expect(try commandError { _ = try Self.report(rows) }.status == .badData)
  }

  @Test func `an unknown objective, weight or machine is a usage error`() throws {
    for line in ["--objective speed", "--memory-weight 2", "--machine none"] {
      let command = try ChooseCommand.parse(
        "--collection dictionary --workload mixed \(line)".split(separator: " ").map(String.init))
      #expect(try commandError { _ = try command.answer() }.status == .usage)
    }
  }
}

/// Tests of the program `weakbench choose`: its exit statuses and its JSON.
@Suite(.enabled(if: TestedProgram.weakbench.isBuilt)) struct ChooseProgramTests {
  private static func outcome(
    _ line: String, _ rows: [Measurement] = ChooseTests.rows()
  ) async throws -> TestedProgram.Outcome {
    let folder = try TemporaryFolder()
    _ = try folder.file("rows.csv", containing: MeasurementCSV.text(of: rows))
    return try await TestedProgram.weakbench.run(
      "choose rows.csv --collection dictionary \(line)", in: folder)
  }

  @Test(arguments: [
    ("--workload read-heavy", 4 as Int32), ("--workload read-heavy --threads 1", 0),
    ("--workload read-heavy --threads 3", 4),
    ("--workload read-heavy --threads 1 --objective bytes", 0),
    ("--workload read-heavy --threads 1 --objective p99", 0),
    ("--mix read=100 --threads 8", 0), ("--workload read-heavy --threads 99", 4),
    ("--workload read-heavy --threads 1 --noise-floor 40%", 3),
    ("--workload read-heavy --noise-floor x", 64),
    ("--workload read-heavy --machine none", 64), ("--explain", 64),
    ("--workload read-heavy --output -", 64),
  ])
  func `the exit status reflects how certain the answer is`(_ line: String, _ status: Int32)
    async throws
  {
    let outcome = try await Self.outcome(line)
    #expect(outcome.status == status, "\(outcome)")
    #expect(outcome.output.isEmpty == (status == 64))
  }

  @Test func `mixed rows exit with status 65 and one line`() async throws {
    var rows = ChooseTests.rows()
    rows[0].environment.allocator = "jemalloc"
    let outcome = try await Self.outcome("--workload read-heavy", rows)
    #expect(outcome.status == ExitStatus.badData.rawValue && outcome.output.isEmpty)
    #expect(outcome.errors.filter(\.isNewline).count == 1)
  }

  @Test func `the JSON has the content of the text`() async throws {
    let outcome = try await Self.outcome("--workload read-heavy --threads 32 --format json")
    #expect(outcome.status == ExitStatus.outsideMeasured.rawValue)
    let found = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    #expect(found["backend"] as? String == "lock-free")
    #expect(found["type"] as? String == "LockFreeDictionary")
    #expect(found["trait"] as? String == "LockFreeBackend")
    #expect(found["status"] as? Int == 4)
    #expect((found["excess"] as? [String: Any])?["threads"] as? Double == 2)
    #expect((found["backends"] as? [Any])?.isEmpty == true)
    #expect((found["measuring"] as? [String])?.count == 2)
    #expect((found["rows"] as? [String])?.count == 6)
  }

  @Test(arguments: ["", " --workload read-heavy --threads 1"])
  func `rows become a calibration, with or without a question`(_ question: String) async throws {
    let folder = try TemporaryFolder()
    _ = try folder.file("rows.csv", containing: MeasurementCSV.text(of: ChooseTests.rows()))
    let collection = question.isEmpty ? "" : " --collection dictionary"
    let outcome = try await TestedProgram.weakbench.run(
      "choose rows.csv --output calibration.json" + collection + question, in: folder)
    #expect(outcome.status == ExitStatus.fine.rawValue, "\(outcome)")
    #expect(outcome.output.isEmpty == question.isEmpty)
    let file = URL(fileURLWithPath: "\(folder.path)/calibration.json")
    let calibration = try Calibration(contentsOf: file)
    #expect(calibration.keys.map(\.cores) == [4])
    #expect(calibration.costs(for: calibration.keys[0]).map(\.sessions.count) == [3, 3, 3, 3])
  }
}

@Suite struct CostSampleTests {
  private func row(_ backend: String = "mutex", kind: Measurement.Kind = .subject) -> Measurement {
    var row = Measurement.example(1, backend, kind: kind, threads: 2, nanosecondsPerOperation: 50)
    row.environment.kernel = "Linux 6.18.44 x86_64"
    row.environment.mutexFlavor = "priority-inheritance"
    return row
  }

  @Test func `a backend's row is a cost sample with the key of its environment`() throws {
    var row = row()
    row.bytes.livePerEntry = 40
    let sample = try #require(CostSample(row))
    #expect(sample.backend == .mutex)
    #expect(sample.nanosecondsPerOperation == 50)
    #expect(sample.p99Nanoseconds == 1234 && sample.bytesPerEntry == 40)
    #expect(sample.point.threads == 2)
    #expect(sample.point.shares == OperationShares(read: 98, insert: 1, remove: 1))
    #expect(
      sample.key
        == CalibrationKey(
          compiler: "6.3.1", mutexFlavor: "priority-inheritance", architecture: "x86_64", cores: 2))
  }

  @Test func `rows of peers, baselines, debug builds and unknown kernels are no cost samples`() {
    #expect(CostSample(row("ns-lock", kind: .peer)) == nil)
    #expect(CostSample(row("empty-loop", kind: .baseline)) == nil)
    var debug = row()
    debug.environment.buildConfiguration = "debug"
    #expect(CostSample(debug) == nil)
    var nowhere = row()
    nowhere.environment.kernel = nil
    #expect(CostSample(nowhere) == nil)
  }

  @Test(arguments: [
    ("read-heavy", true), ("custom", true), ("leak-monitor", false), ("rapid-grow", false),
    ("turnover-ten", false), ("ycsb-f", true), ("gone", false),
  ])
  func `a workload that does more than draw operations is no pure mix`(
    _ workload: String, isPureMix: Bool
  ) throws {
    var row = row()
    row.configuration.workload = workload
    #expect(try #require(CostSample(row)).point.isPureMix == isPureMix)
  }

  @Test func `a row whose key or value type no profile can have is no cost sample`() {
    var integers = row()
    (integers.configuration.keyType, integers.configuration.valueType) = ("Int", "Int")
    integers.configuration.keyDistribution = "uniform"
    #expect(CostSample(integers) != nil)
    var strings = integers
    strings.configuration.keyType = "String"
    #expect(CostSample(strings) == nil)
    var objects = integers
    objects.configuration.valueType = "class"
    #expect(CostSample(objects) == nil)
    var skewed = integers
    skewed.configuration.keyDistribution = "zipfian:0.99"
    #expect(CostSample(skewed) == nil)
  }
}

@Suite struct BackendCommandTests {
  @Test func `each name is listed with its type in this build`() {
    let types = [
      "AtomicWeakArray": "\(AtomicWeakArray<NSObject>.self)",
      "AtomicDictionary": "\(AtomicDictionary<Int, Int>.self)",
      "AtomicWeakSet": "\(AtomicWeakSet<NSObject>.self)",
      "makeWeakArray()": "\(type(of: makeWeakArray(of: Element.self)))",
      "makeDictionary()": "\(type(of: makeDictionary(from: Int.self, to: Int.self)))",
      "makeWeakSet()": "\(type(of: makeWeakSet(of: Element.self)))",
    ]
    let meanings = NameMeaning.all
    #expect(
      meanings.map(\.name).filter { $0 != "MemoryLeakMonitor" }.sorted() == types.keys.sorted())
    for meaning in meanings where meaning.type != nil {
      // A lock-based collection is an alias of a type that is generic over the lock.
      let type = types[meaning.name] ?? ""
      let prefix = meaning.type!.prefix { $0 != "W" && $0 != "D" }
      #expect(type.contains(prefix), "\(meaning.name) is \(type), not \(meaning.type!)")
      #expect(!meaning.why.isEmpty)
    }
  }

  @Test func `the monitor has a synchronous backend, with a reason`() throws {
    let monitor = try #require(NameMeaning.all.last)
    #expect(monitor.name == "MemoryLeakMonitor" && monitor.type == nil)
    #expect(monitor.backend.isSynchronous && !monitor.why.isEmpty)
  }

  @Test func `the reason follows from the trait`() {
    let standard = NameMeaning(atomic: .dictionary, means: .lockFree, selected: nil)
    #expect(standard.why == "It is the default; no trait selects another.")
    let selected = NameMeaning(atomic: .dictionary, means: .mutex, selected: .mutex)
    #expect(selected.why == "The trait MutexBackend selects it.")
    let actor = NameMeaning(atomic: .weakSet, means: .lockFree, selected: .actor)
    #expect(
      actor.why == "It is the default; the trait ActorBackend selects one that suspends.")
    let lacking = NameMeaning(factory: .weakArray, means: .adaptiveLock, selected: .stripedLock)
    #expect(lacking.why.hasPrefix("The trait StripedLockBackend selects one without a weak-array"))
    #expect(lacking.name == "makeWeakArray()" && lacking.type == "AdaptiveLockWeakArray")
  }

  @Test func `the JSON reads back equal`() throws {
    let data = Data(NameMeaning.json(of: NameMeaning.all).utf8)
    #expect(try JSONDecoder().decode([NameMeaning].self, from: data) == NameMeaning.all)
  }

  @Test func `the table has a line for each name`() {
    let lines = NameMeaning.text(of: NameMeaning.all).split(separator: "\n")
    #expect(lines.count == 8 && lines[0].hasPrefix("NAME"))
  }

  private final class Element: Sendable {}
}
