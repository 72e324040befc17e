import Measurements
import Testing
import WeakCollections
import Workloads

@testable import Benchmarking

/// Serialized, because the byte phase counts the whole process.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RoleTrialTests {
  private static func trial(
    _ contestant: Contestant, _ roles: String, driver: Driver = .threads
  ) throws -> TrialSpecification? {
    let subject = WorkloadSubject(rawValue: contestant.collection.rawValue)!
    let workload = Workload.roles(try Role.roles(parsing: roles), for: subject)
    guard contestant.supports(workload) else { return nil }
    return TrialSpecification(
      contestant: contestant, workload: workload, threads: workload.workers!, entries: 64,
      seed: Seed(7)!, number: 1, warmupSeconds: 0.005, seconds: 0.01
    ).driven(by: driver)
  }

  @Test(arguments: CollectionKind.allCases)
  func `every contestant passes a trial with every role, on threads`(
    _ collection: CollectionKind
  ) async throws {
    for contestant in Contestant.all(for: collection) {
      guard
        let trial = try Self.trial(contestant, "reader=2,writer=1,updater=1,dropper=1,iterator=1")
          ?? Self.trial(contestant, "reader=2,dropper=1")
      else { continue }
      let result = try await trial.run()
      #expect(result.roles.map(\.name) == trial.workload.roles.map(\.name))
      #expect(result.roles.map(\.workers) == trial.workload.roles.map(\.workers))
      #expect(result.roles.reduce(0) { $0 + $1.operations } == result.throughput.operations)
      #expect(result.contention.jainIndex == nil)
    }
  }

  @Test(arguments: [Driver.gcd, .tasks], CollectionKind.allCases)
  func `more workers than threads all make progress, and the collection keeps its promises`(
    _ driver: Driver, _ collection: CollectionKind
  ) async throws {
    // Backends that block, suspend, do neither, and have threads of their own.
    for backend in [Backend.mutex, .actor, .lockFree, .barrierQueue] {
      let contestant = try #require(Contestant.named(backend.rawValue, for: collection))
      let roles = "reader=5,writer=2,dropper=1"
      let trial = try #require(try Self.trial(contestant, roles, driver: driver))
      let result = try await trial.run()
      #expect(result.throughput.operations > 0)
      // The workers do not own the threads.
      #expect(result.contention.voluntarySwitchesPerOperation == nil)
      #expect(result.contention.casFailuresPerOperation == nil)
      #expect(trial.configuration.driver == driver.rawValue)
    }
  }

  @Test func `a trial of an array that keeps a dropped element alive fails`() async throws {
    let contestant = Contestant.named("mutex", for: .weakArray)!
    let trial = try #require(try Self.trial(contestant, "reader=1,dropper=1"))
    await expectTrialFailure(trial) { WeakArraySubject(of: StrongArray.self, $0) }
  }

  @Test func `a trial of a dictionary that loses an updater's update fails`() async throws {
    let contestant = Contestant.named("mutex", for: .dictionary)!
    let trial = try #require(try Self.trial(contestant, "reader=1,updater=1"))
    await expectTrialFailure(trial) {
      DictionarySubject<IntegerEntries>(of: LosingDictionary.self, $0)
    }
  }

  @Test func `roles that only read have results of their own`() async throws {
    let contestant = Contestant.named("mutex", for: .dictionary)!
    let trial = try #require(try Self.trial(contestant, "reader=2,iterator=1"))
    let result = try await trial.run()
    #expect(trial.configuration.roles == "reader=2 iterator=1")
    #expect(trial.configuration.workload == "roles")
    #expect(result.roles.count == 2)
  }

  @Test func `each role of an open loop has its own times, and together they are the trial's`()
    async throws
  {
    let contestant = Contestant.named("mutex", for: .dictionary)!
    var trial = try #require(try Self.trial(contestant, "reader=2,writer=1"))
    trial.pace = Measurement.Pace(mode: .open, targetOperationsPerSecond: 30_000)
    let result = try await trial.run()
    let samples = result.roles.compactMap(\.latency.samples)
    #expect(samples.reduce(0, +) == result.latency.samples)
    #expect(samples == result.roles.map(\.operations))
    #expect(
      result.roles.reduce(0) { $0 + ($1.openLoop.backlog ?? 0) } == result.openLoop.backlog)
    let longest = result.roles.compactMap(\.openLoop.intended.maxNanoseconds).max()
    #expect(longest == result.openLoop.intended.maxNanoseconds)
    // A few hundred operations are too few for a p99.9.
    #expect(result.roles.allSatisfy { $0.openLoop.intended.p999Nanoseconds == nil })
    #expect(result.roles.allSatisfy { $0.jainIndex == nil && $0.latency.p50Nanoseconds == nil })
  }
}
