import Testing
import Threading
import WeakCollections

@testable import StressTesting

@Suite struct ThreadDriverTests {
  @Test(arguments: [false, true])
  func `a recording has every operation, with distinct stamps in the order of its thread`(
    _ usesTickets: Bool
  ) async throws {
    let scenario = try Scenario(parsing: "p0,c0,a,r0/p1,n,k", for: .weakArray)
    var driver = ThreadDriver(rounds: 20, seed: 1)
    driver.usesTickets = usesTickets
    let subject = try #require(BackendCatalog.subjects.first { $0.collection == .weakArray })
    let recordings = try #require(await driver.run(scenario, on: subject))
    #expect(recordings.count == 20)
    for recording in recordings {
      let stamps = recording.operations.flatMap { [$0.call, $0.return!] }
      #expect(stamps.sorted() == Array(0..<14))
      for lane in 0...1 {
        let operations = recording.operations.filter { $0.lane == lane }
        #expect(operations.map(\.step) == scenario.threads[lane].steps)
        for (earlier, later) in zip(operations, operations.dropFirst()) {
          #expect(earlier.return! < later.call)
        }
      }
      #expect(recording.aftermath.contents == .objects([1]))
    }
  }

  @Test func `a death lasts from the release of the last reference to the deinit`() async throws {
    let scenario = try Scenario(parsing: "p0,d0/c0,d0", for: .weakArray)
    let recordings = try #require(await run(scenario))
    for recording in recordings {
      let deaths = recording.operations.filter { $0.step.verb == .drop }
      #expect(deaths.count == 1)
      #expect(deaths[0].return != nil)
      #expect(recording.aftermath.contents == .objects([]))
    }
    let held = try Scenario(parsing: "p0,d0/c0", for: .weakArray)
    for recording in try #require(await run(held)) {
      #expect(!recording.operations.contains { $0.step.verb == .drop })
      #expect(recording.aftermath.contents == .objects([0]))
    }
  }

  @Test func `the operation of a re-entrant object has a lane of its own`() async throws {
    let scenario = try Scenario(parsing: "s0-0+,r0", for: .dictionary)
    for recording in try #require(await run(scenario)) {
      // The dictionary behind a mutex releases a removed value immediately. The removal in `deinit`
      // comes after the removal that released the object.
      #expect(recording.operations.map(\.lane).sorted() == [0, 0, 1])
      let last = recording.operations.first { $0.lane == 1 }
      #expect(last?.step == Scenario.Step(.remove, key: 0))
      #expect(last?.answer == .value(nil))
    }
  }

  @Test func `threads start when the scenario says so`() async throws {
    let scenario = try Scenario(parsing: "s0-0,s1-1/born0-1:g0/born1-1:g0", for: .dictionary)
    for recording in try #require(await run(scenario)) {
      func operation(_ lane: Int) -> RecordedOperation {
        recording.operations.first { $0.lane == lane }!
      }
      #expect(operation(0).return! < operation(1).call)
      #expect(operation(1).return! < operation(2).call)
      #expect(operation(2).answer == .value([0]))
    }
  }

  @Test func `threads that do not end are a hang`() async throws {
    let gate = Gate()
    let subject = Subject("waiting") { _ -> Subject.Dictionary in WaitingDictionary(gate) }
    var driver = ThreadDriver(rounds: 1, seed: 1)
    // The threads wait until the driver has returned, whenever the limit passes.
    driver.timeLimit = .milliseconds(50)
    let scenario = try Scenario(parsing: "g0", for: .dictionary)
    #expect(await driver.run(scenario, on: subject) == nil)
    gate.open()
  }

  private func run(_ scenario: Scenario) async -> [Recording]? {
    let subject = BackendCatalog.subjects.first {
      $0.collection == scenario.collection && $0.name == Backend.mutex.rawValue
    }!
    return await ThreadDriver(rounds: 20, seed: 1).run(scenario, on: subject)
  }
}
