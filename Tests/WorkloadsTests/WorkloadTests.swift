import Testing
import Workloads

struct WorkloadTests {
  @Test func `the named workloads are these`() {
    #expect(
      Workload.all(for: .dictionary).map(\.name) == [
        "read-only", "read-heavy", "mixed", "exchange", "rapid-grow", "get-or-insert",
        "leak-monitor",
      ])
    #expect(
      Workload.all(for: .weakArray).map(\.name) == [
        "read-only", "read-heavy", "mixed", "exchange", "snapshot-heavy", "append-heavy",
        "rapid-grow", "churn", "delegate-notify", "leak-monitor",
      ])
  }

  @Test(arguments: WorkloadSubject.allCases)
  func `each is found by its unique kebab-case name`(_ subject: WorkloadSubject) throws {
    let workloads = Workload.all(for: subject)
    #expect(Set(workloads.map(\.name)).count == workloads.count)
    for workload in workloads {
      #expect(try Workload.named(workload.name, for: subject) == workload)
      #expect(workload.subject == subject)
      #expect(workload.name.allSatisfy { $0.isLowercase || $0 == "-" })
      #expect(workload.name != Workload.customName)
      #expect(workload.summary.hasSuffix("."))
      #expect(Workload.subjects(named: workload.name).contains(subject))
    }
  }

  @Test func `an unknown name is refused with suggestions and the list`() {
    let error = WorkloadError.unknownWorkload("read-havy", subject: .dictionary)
    #expect(throws: error) { try Workload.named("read-havy", for: .dictionary) }
    #expect(
      error.description == "unknown workload 'read-havy' for dictionary; "
        + "did you mean read-heavy? (allowed: read-only, read-heavy, mixed, exchange, "
        + "rapid-grow, get-or-insert, leak-monitor)")
    #expect(Workload.subjects(named: "churn") == [.weakArray])
    #expect(Workload.subjects(named: "read-only") == [.weakArray, .dictionary])
    #expect(Workload.subjects(named: "read-havy").isEmpty)
  }

  @Test func `a mix somebody typed is the workload custom`() throws {
    let mix = try OperationMix(parsing: "read=95,insert=3,remove=2")
    let workload = Workload.custom(mix, for: .dictionary)
    #expect(workload.name == "custom")
    #expect(workload.mix == mix)
    #expect(workload.behaviour == .steady)
  }

  @Test(arguments: WorkloadSubject.allCases)
  func `every operation of every workload says what it means`(_ subject: WorkloadSubject) {
    for workload in Workload.all(for: subject) {
      for operation in OperationKind.allCases {
        #expect(!workload.meaning(of: operation).isEmpty)
      }
    }
    #expect(OperationKind.update.meaning(for: .weakArray) == "`compact`")
  }

  @Test(arguments: WorkloadSubject.allCases)
  func `a behaviour changes the meaning of an operation that its mix has`(
    _ subject: WorkloadSubject
  ) {
    let changing: [Workload.Behaviour] = [
      .churning, .notifying, .gettingOrInserting, .monitoring,
    ]
    for workload in Workload.all(for: subject) where changing.contains(workload.behaviour) {
      let changed = OperationKind.allCases.filter {
        workload.meaning(of: $0) != $0.meaning(for: subject)
      }
      #expect(!changed.isEmpty)
      #expect(changed.allSatisfy { workload.mix.share(of: $0) > 0 })
    }
  }

  @Test(arguments: WorkloadSubject.allCases)
  func `no workload outgrows memory`(_ subject: WorkloadSubject) {
    for workload in Workload.all(for: subject) {
      #expect(workload.prefill(forSize: 64) <= workload.keyRange(forSize: 64))
      let isBounded =
        subject == .dictionary || workload.mix.insert <= workload.mix.remove
        || [.churning, .monitoring].contains(workload.behaviour)
      #expect(isBounded || workload.entryLimit(forSize: 64) != nil)
    }
  }

  @Test func `readers find every key, a monitor has few hot ones, growth new ones`() throws {
    #expect(try Workload.named("read-only", for: .dictionary).keyRange(forSize: 64) == 64)
    #expect(try Workload.named("mixed", for: .dictionary).keyRange(forSize: 64) == 128)
    #expect(try Workload.named("leak-monitor", for: .dictionary).keyRange(forSize: 64) == 16)
    let growing = try Workload.named("rapid-grow", for: .dictionary)
    #expect(growing.keyRange(forSize: 64) == 4 * (growing.entryLimit(forSize: 64) ?? 0))
    #expect(growing.prefill(forSize: 64) == 0)
  }
}
