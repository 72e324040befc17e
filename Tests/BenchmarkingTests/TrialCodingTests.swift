import Benchmarking
import Foundation
import Testing
import WeakCollections
import Workloads

struct TrialCodingTests {
  private func specification(_ contestant: Contestant, _ workload: Workload) -> TrialSpecification {
    TrialSpecification(
      contestant: contestant, workload: workload, threads: 3, entries: 64, seed: Seed(42)!,
      number: 5,
      session: 2, warmupSeconds: 0.1 + 0.2, seconds: 0.44)
  }

  @Test(arguments: CollectionKind.allCases)
  func `every trial decodes equal to the encoded trial`(
    _ collection: CollectionKind
  ) throws {
    let subject = try #require(WorkloadSubject(rawValue: collection.rawValue))
    for contestant in Contestant.all(for: collection) {
      for workload in Workload.all(for: subject) where contestant.supports(workload) {
        let trial = specification(contestant, workload)
        let data = try JSONEncoder().encode(trial)
        #expect(try JSONDecoder().decode(TrialSpecification.self, from: data) == trial)
      }
    }
  }

  @Test func `trials with other key distributions and entry types decode equal, too`() throws {
    let workload = try #require(Workload.all(for: .dictionary).first)
    for entries in EntryTypes.allCases {
      let other = workload.on(entries).drawing(.zipfian(theta: 0.99))
      let trial = specification(try #require(Contestant.all(for: .dictionary).first), other)
      let data = try JSONEncoder().encode(trial)
      #expect(try JSONDecoder().decode(TrialSpecification.self, from: data) == trial)
    }
  }

  @Test func `a seeded slowdown decodes by its name, but is in no list`() throws {
    let workload = try #require(Workload.all(for: .dictionary).first)
    let trial = specification(.slowed(byPercent: 10), workload)
    let data = try JSONEncoder().encode(trial)
    #expect(try JSONDecoder().decode(TrialSpecification.self, from: data) == trial)
    for collection in CollectionKind.allCases {
      #expect(Contestant.named("mutex-plus-10", for: collection) == nil)
    }
  }

  @Test(arguments: ["mutex-plus-", "mutex-plus--1", "mutex-plus-1001", "nobody"])
  func `a contestant that this build lacks is an error`(_ name: String) throws {
    let text = #"{"collection":"dictionary","name":"\#(name)"}"#
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Contestant.self, from: Data(text.utf8))
    }
  }
}
