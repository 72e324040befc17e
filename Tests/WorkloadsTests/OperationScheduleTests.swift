import Testing
import Workloads

struct OperationScheduleTests {
  @Test(arguments: WorkloadSubject.allCases)
  func `a schedule has exactly the shares of its mix`(_ subject: WorkloadSubject) throws {
    let seed = try #require(Seed(7))
    for workload in Workload.all(for: subject) {
      let operations = OperationSchedule(mix: workload.mix, seed: seed).operations
      #expect(operations.count == OperationSchedule.defaultLength)
      for operation in OperationKind.allCases {
        let expected = workload.mix.share(of: operation) * OperationSchedule.defaultLength / 100
        #expect(operations.count { $0 == operation } == expected)
      }
    }
  }

  @Test func `the same seed gives the same schedule, another seed another`() throws {
    let mix = try OperationMix(read: 50, insert: 50)
    let (one, two) = (try #require(Seed(1)), try #require(Seed(2)))
    #expect(OperationSchedule(mix: mix, seed: one) == OperationSchedule(mix: mix, seed: one))
    #expect(OperationSchedule(mix: mix, seed: one) != OperationSchedule(mix: mix, seed: two))
  }

  @Test func `operations are spread, not in blocks`() throws {
    let mix = try OperationMix(read: 50, insert: 50)
    let operations = OperationSchedule(mix: mix, seed: try #require(Seed(3))).operations
    let changes = zip(operations, operations.dropFirst()).count { $0 != $1 }
    // A fair shuffle changes about every second time; the bounds are more than ten deviations off.
    #expect((1_300...1_900).contains(changes))
  }
}
