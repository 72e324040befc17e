import ProgramTesting
import BenchmarkCommands
import TerminalIO
import ArgumentParser
import Benchmarking
import Choosing
import Foundation
import Measurements
import Testing
import WeakCollections
import Workloads

@testable import benchlab

@Suite struct RegretTests {
  private static let key = CalibrationKey(
    compiler: "6.3", mutexFlavor: "adaptive", architecture: "x86_64", cores: 4)

  private static func samples(_ backend: Backend, _ times: [Double]) -> [CostSample] {
    times.enumerated().map { session, time in
      CostSample(
        key: key,
        point: GridPoint(
          collection: .dictionary, workload: "mixed", shares: OperationShares(read: 100),
          threads: 2, entries: 64),
        backend: backend, session: "\(session)", nanosecondsPerOperation: time)
    }
  }

  @Test func `costs are compared in half of the sessions`() throws {
    let contest = try #require(
      RegretContest(
        Self.samples(.mutex, [10, 50, 10, 50]) + Self.samples(.lockFree, [20, 100, 20, 100])
          + Self.samples(.actor, [30, 75])))
    #expect(contest.best == .mutex && contest.floor == 1)
    #expect(contest.regret(of: .lockFree) == 2)
    #expect(contest.regret(of: .actor) == 1.5)
    #expect(contest.regret(of: .mutex) == 1)
    #expect(contest.regret(of: .barrierQueue) == nil)
  }

  @Test func `the floor is what the best backend of the other sessions costs`() throws {
    let contest = try #require(
      RegretContest(Self.samples(.mutex, [10, 110]) + Self.samples(.lockFree, [20, 100])))
    #expect(contest.best == .lockFree && contest.floor == 1.1)
    #expect(contest.regret(of: .mutex) == 1.1)
  }

  @Test func `one backend, or one session, is no contest`() {
    #expect(RegretContest(Self.samples(.mutex, [10, 10])) == nil)
    #expect(
      RegretContest(Self.samples(.mutex, [10, 10]) + Self.samples(.lockFree, [20])) == nil)
  }

  /// Rows at 1, 4 and 16 threads; at 4 the costs are `times`, elsewhere `lock-free` is the
  /// cheapest.
  private static func rows(
    lockFreeAt4 times: [Double], workload: String = "read-heavy"
  ) -> [Measurements.Measurement] {
    [1, 4, 16].flatMap { threads in
      ["lock-free", "mutex"].flatMap { backend in
        (0..<3).map { trial in
          let time = backend == "mutex" ? 100 : threads == 4 ? times[trial] : 10.0
          var row = Measurements.Measurement.example(
            trial + 1, backend, threads: threads, workload: workload, nanosecondsPerOperation: time)
          row.identity.row = "\(workload)-\(threads)-\(backend)-\(trial)"
          row.environment.kernel = "Linux 6.18.44 x86_64"
          row.environment.mutexFlavor = "priority-inheritance"
          row.trial.session = trial + 1
          return row
        }
      }
    }
  }

  private static func trial(
    _ rows: [Measurements.Measurement], calibration: Calibration? = nil
  ) throws -> RegretAnalysis {
    try RegretAnalysis(ChoiceSource(rows, try RowSelection.parse([])), calibration: calibration)
  }

  @Test func `a point is asked about from the others, and the outermost are outside`() throws {
    let trial = try Self.trial(Self.rows(lockFreeAt4: [10, 10, 10]))
    // The points at 1 and 16 threads, and the mix, of which there is no other.
    #expect(trial.questions.count == 1 && trial.questionsOutsideRange == 5)
    #expect(trial.quantile(1, of: \.regret) == 1)
  }

  @Test func `a pick that the others suggest and the point belies has its regret`() throws {
    let trial = try Self.trial(Self.rows(lockFreeAt4: [300, 400, 300]))
    let question = try #require(trial.questions.first)
    #expect(question.picked == .lockFree && question.best == .mutex)
    #expect(question.regret == 4 && question.floor == 1 && question.point.threads == 4)
    let text = RegretText(analysis: trial, explains: true).text
    #expect(
      text.contains(
        "4.00    1.00   lock-free  mutex  dictionary, read-heavy, 4 threads, 1024 entries  name"),
      "\(text)")
    #expect(text.contains("regret ÷ floor"))
    #expect(text.hasSuffix("1 questions; 5 more are outside the measured range"))
  }

  @Test func `no message names an option that the command lacks`() throws {
    var rows = Self.rows(lockFreeAt4: [10, 10, 10])
    rows[0].environment.cores += 1
    let error = try commandError { _ = try Self.trial(rows) }
    #expect(error.status == .badData && error.description.contains("2 numbers of cores"))
    #expect(error.description.hasSuffix("(allowed: files with one of them)"))
    var others = Self.rows(lockFreeAt4: [10, 10, 10])
    others[0].environment.machine = "other"
    #expect(try commandError { _ = try Self.trial(others) }.description.contains("--machine"))
    let calibration = try commandError { try RowSelection.refuseDifferent(others) }
    #expect(
      calibration.description.contains("2 machines") && !calibration.description.contains("--"))
  }

  @Test func `what selects rows is refused before anything is measured`() throws {
    let error = try commandError { try RegretCommand.parse(["--machine", "mine"]).run() }
    #expect(error.status == .usage && error.description.contains("there are no rows to select"))
    let output = try commandError { try RegretCommand.parse(["--csv", "-", "--dry-run"]).run() }
    #expect(output.status == .usage && output.description.contains("--csv"))
  }

  @Test func `a mix is asked about from the other workloads`() throws {
    var others = Self.rows(lockFreeAt4: [10, 10, 10], workload: "read-only")
    for index in others.indices {
      others[index].configuration.shares = .init(
        read: 99, insert: 1, update: 0, remove: 0, iterate: 0)
    }
    let trial = try Self.trial(Self.rows(lockFreeAt4: [10, 10, 10]) + others)
    #expect(trial.questions.filter(\.asMix).count == 6)
  }

  @Test func `a calibration answers about every point that it has`() throws {
    let rows = Self.rows(lockFreeAt4: [10, 10, 10])
    let calibration = Calibration(rows.compactMap { CostSample($0) })
    let trial = try Self.trial(rows, calibration: calibration)
    #expect(trial.questions.count == 3 && trial.questionsOutsideRange == 0)
    #expect(
      try Self.trial(rows, calibration: Calibration([CostSample]())).questionsOutsideRange == 3)
  }

  @Test func `a run that asks no question could not do its work`() throws {
    let rows = Self.rows(lockFreeAt4: [10, 10, 10]).filter { $0.configuration.threads == 4 }
    let trial = try Self.trial(rows)
    #expect(trial.questions.isEmpty && trial.questionsOutsideRange > 0)
    let error = try commandError { try trial.checkQuestions() }
    #expect(error.status == .failed && error.description.contains("no question was asked"))
    try Self.trial(Self.rows(lockFreeAt4: [10, 10, 10])).checkQuestions()
  }

  @Test func `rows of one session are bad data`() throws {
    let rows = Self.rows(lockFreeAt4: [10, 10, 10]).filter { $0.trial.session == 1 }
    #expect(try commandError { _ = try Self.trial(rows) }.status == .badData)
  }

  @Test func `profiles are drawn within what was measured, the same for a seed`() throws {
    func drawn(_ seed: UInt64) throws -> [WorkloadProfile] {
      var draw = try ProfileDraw(.compiled, key: Calibration.compiled.keys[0], seed: Seed(seed)!)
      return try draw.profiles(40)
    }
    let profiles = try drawn(7)
    #expect(profiles.count == 40 && Set(profiles).count == 40)
    #expect(try drawn(7) == profiles && drawn(8) != profiles)
    #expect(Set(profiles.map(\.collection)) == [.dictionary, .weakArray])
    let model = try #require(Calibration.compiled.model(for: Calibration.compiled.keys[0]))
    for profile in profiles {
      #expect(model.answer(to: profile)?.excess.isWithin == true)
      #expect(OperationShares(try profile.wholeMix()) == profile.shares)
    }
  }

  @Test func `nothing is drawn where nothing was measured`() throws {
    let error = try commandError {
      _ = try ProfileDraw(Calibration([CostSample]()), key: Self.key, seed: .fixed)
    }
    #expect(error.status == .outsideMeasured)
    let named = Calibration(
      Self.samples(.mutex, [1, 2]).map { sample in
        var sample = sample
        sample.point.isPureMix = false
        return sample
      })
    var draw = try ProfileDraw(named, key: Self.key, seed: .fixed)
    #expect(try commandError { _ = try draw.profiles(1) }.status == .outsideMeasured)
  }

  /// Measurements made where this program runs, of two mixes at three numbers of threads.
  private static var here: Calibration {
    Calibration(
      [100, 50].flatMap { read in
        [1, 2, 4].flatMap { threads in
          samples(.mutex, [1, 2]).map { sample in
            var sample = sample
            sample.key = .current
            sample.point.workload = "mix-\(read)"
            sample.point.shares = OperationShares(read: Double(read), insert: Double(100 - read))
            sample.point.threads = threads
            return sample
          }
        }
      })
  }

  @Test func `every backend is measured on each drawn profile, in turns`() throws {
    let options = try RegretOptions.parse(["--draw", "3", "--trials", "4"])
    let run = try DrawnRun(options, Self.here)
    let backends = Backend.supporting(.dictionary)
    #expect(run.steps.count == 3 * 4 && run.trialCount == 3 * 4 * backends.count)
    func values(_ option: String, _ steps: ArraySlice<DrawnRun.Step>) -> [String] {
      steps.compactMap { step in
        step.arguments.firstIndex(of: option).map { step.arguments[$0 + 1] }
      }
    }
    #expect(Set(values("--mix", run.steps[...])).count > 1)
    // A round has every profile once, under one seed.
    let rounds = stride(from: 0, to: run.steps.count, by: 3).map { run.steps[$0..<$0 + 3] }
    #expect(rounds.allSatisfy { values("--mix", $0) == values("--mix", rounds[0]) })
    #expect(rounds.allSatisfy { Set(values("--seed", $0)).count == 1 })
    #expect(Set(values("--seed", run.steps[...])).count == 4)
    #expect(
      values("--backend", run.steps[...]).allSatisfy {
        $0 == backends.map(\.rawValue).joined(separator: ",")
      })
  }

  @Test func `nothing is drawn for a machine that was not measured`() throws {
    var samples = Self.samples(.mutex, [1, 2])
    for index in samples.indices { samples[index].key.cores = 999 }
    let error = try commandError {
      _ = try DrawnRun(try RegretOptions.parse([]), Calibration(samples))
    }
    #expect(error.status == .outsideMeasured)
  }

  @Test(.enabled(if: TestedProgram.benchlab.isBuilt))
  func `the program shows what it would measure`() async throws {
    let folder = try TemporaryFolder()
    _ = try folder.file(
      "here.json", containing: String(decoding: Self.here.json, as: UTF8.self))
    let outcome = try await TestedProgram.benchlab.run(
      "regret --draw 2 --calibration here.json --dry-run", in: folder)
    #expect(outcome.status == 0 && outcome.output.hasPrefix("2 profiles, "), "\(outcome)")
    _ = try folder.file("rows.csv", containing: "")
    let both = try await TestedProgram.benchlab.run("regret rows.csv --draw 2", in: folder)
    #expect(both.status == ExitStatus.usage.rawValue, "\(both)")
  }

  @Test(.enabled(if: TestedProgram.benchlab.isBuilt))
  func `the program shows the figures`() async throws {
    let folder = try TemporaryFolder()
    let rows = Self.rows(lockFreeAt4: [10, 10, 10])
    _ = try folder.file("rows.csv", containing: MeasurementCSV.text(of: rows))
    let outcome = try await TestedProgram.benchlab.run("regret rows.csv", in: folder)
    #expect(outcome.status == 0 && outcome.output.contains("WORST"), "\(outcome)")
    let json = try await TestedProgram.benchlab.run("regret rows.csv --format json", in: folder)
    #expect(json.status == 0 && json.output.contains("\"questionsOutsideRange\" : 5"), "\(json)")
    let missing = try await TestedProgram.benchlab.run(
      "regret rows.csv --calibration none", in: folder)
    #expect(missing.status == ExitStatus.usage.rawValue, "\(missing)")
  }
}
