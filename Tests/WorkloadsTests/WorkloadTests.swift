import Testing
import Workloads

struct WorkloadTests {
  @Test func `each collection has these named workloads`() {
    #expect(
      Workload.all(for: .dictionary).map(\.name) == [
        "read-only", "read-heavy", "mixed", "exchange", "rapid-grow", "get-or-insert",
        "leak-monitor", "replace-one", "turnover-one", "replace-ten", "turnover-ten",
        "replace-fifty",
        "turnover-fifty", "ycsb-a", "ycsb-b", "ycsb-c", "ycsb-d", "ycsb-e", "ycsb-f",
      ])
    #expect(!Workload.standard(for: .dictionary).contains { $0.behavior == .replacing })
    #expect(
      Workload.all(for: .weakArray).map(\.name) == [
        "read-only", "read-heavy", "mixed", "exchange", "snapshot-heavy", "append-heavy",
        "rapid-grow", "churn", "delegate-notify", "leak-monitor", "dead-ten", "dead-fifty",
        "dead-ninety", "drop-one", "drop-ten", "drop-fifty", "drop-storm", "re-register",
        "iterate-dying",
      ])
    #expect(
      Workload.all(for: .weakSet).map(\.name) == [
        "read-only", "mixed", "exchange", "snapshot-heavy", "churn", "leak-monitor",
      ])
  }

  @Test(arguments: WorkloadSubject.allCases)
  func `each workload is found by its unique kebab-case name`(_ subject: WorkloadSubject) throws {
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
        + "rapid-grow, get-or-insert, leak-monitor, replace-one, turnover-one, replace-ten, turnover-ten, "
        + "replace-fifty, turnover-fifty, ycsb-a, ycsb-b, ycsb-c, ycsb-d, ycsb-e, ycsb-f)")
    #expect(Workload.subjects(named: "churn") == [.weakArray, .weakSet])
    #expect(Workload.subjects(named: "read-only") == [.weakArray, .dictionary, .weakSet])
    #expect(Workload.subjects(named: "read-havy").isEmpty)
  }

  @Test func `a mix that the user gives is the workload custom`() throws {
    let mix = try OperationMix(parsing: "read=95,insert=3,remove=2")
    let workload = Workload.custom(mix, for: .dictionary)
    #expect(workload.name == "custom")
    #expect(workload.mix == mix)
    #expect(workload.behavior == .steady)
  }

  @Test(arguments: WorkloadSubject.allCases)
  func `every operation of every workload has a description`(_ subject: WorkloadSubject) {
    for workload in Workload.all(for: subject) {
      for operation in OperationKind.allCases {
        #expect(!workload.meaning(of: operation).isEmpty)
      }
    }
    #expect(OperationKind.update.meaning(for: .weakArray) == "`compact`")
  }

  @Test(arguments: WorkloadSubject.allCases)
  func `a behavior changes the meaning of an operation in its mix`(
    _ subject: WorkloadSubject
  ) {
    let changing: [Workload.Behavior] = [
      .churning, .notifying, .gettingOrInserting, .monitoring, .replacing, .turningOver,
      .sliding, .storming, .reregistering, .dying,
    ]
    for workload in Workload.all(for: subject) where changing.contains(workload.behavior) {
      let changed = OperationKind.allCases.filter {
        workload.meaning(of: $0) != $0.meaning(for: subject)
      }
      #expect(changed.contains { workload.mix.share(of: $0) > 0 })
      // A sliding workload also changes the meaning of iterations, which its mix may lack.
      #expect(
        workload.behavior == .sliding
          || changed.allSatisfy { workload.mix.share(of: $0) > 0 })
    }
  }

  @Test(arguments: WorkloadSubject.allCases)
  func `every workload bounds the number of entries`(_ subject: WorkloadSubject) {
    for workload in Workload.all(for: subject) {
      let live = workload.live(ofEntries: workload.prefill(forEntries: 64))
      #expect(live <= workload.keyRange(forEntries: 64))
      let isBounded =
        subject == .dictionary || workload.mix.insert <= workload.mix.remove
        || [.churning, .monitoring, .storming, .reregistering, .dying]
          .contains(workload.behavior)
      #expect(isBounded || workload.entryLimit(forEntries: 64) != nil)
    }
  }

  @Test func `the YCSB workloads have the shares and distributions of YCSB's files`() throws {
    let expected = [
      ("a", "read=50,insert=50", "scrambled-zipfian:0.99"),
      ("b", "read=95,insert=5", "scrambled-zipfian:0.99"),
      ("c", "read=100", "scrambled-zipfian:0.99"), ("d", "read=95,insert=5", "latest:0.99"),
      ("e", "insert=5,iterate=95", "scrambled-zipfian:0.99"),
      ("f", "read=50,update=50", "scrambled-zipfian:0.99"),
    ]
    for (letter, mix, keys) in expected {
      let workload = try Workload.named("ycsb-\(letter)", for: .dictionary)
      #expect("\(workload.mix)" == mix)
      #expect("\(workload.keyDistribution)" == keys)
      // All records exist from the start.
      #expect(workload.prefill(forEntries: 64) == 64)
      #expect(!Workload.standard(for: .dictionary).contains(workload))
    }
  }

  @Test func `another key distribution or entry type changes nothing else of a workload`() throws {
    let mixed = try Workload.named("mixed", for: .dictionary)
    let other = mixed.drawing(.singleKey).on(.stringToInteger)
    #expect(other.keyDistribution == .singleKey)
    #expect(other.entryTypes == .stringToInteger)
    #expect(other.drawing(.uniform).on(.integerToInteger) == mixed)
    #expect(EntryTypes(key: .string, value: .object) == .stringToObject)
    for entries in EntryTypes.allCases {
      #expect(EntryTypes(key: entries.key, value: entries.value) == entries)
    }
  }

  @Test func `if some entries are dead, only the live ones are drawn`() throws {
    let dead = try Workload.named("dead-ninety", for: .weakArray)
    #expect(dead.prefill(forEntries: 100) == 100)
    #expect(dead.live(ofEntries: 100) == 10)
    #expect(dead.keyRange(forEntries: 100) == 10)
    #expect(dead.live(ofEntries: 1) == 1)
    #expect(dead.live(ofEntries: 0) == 0)
  }

  @Test func `readers find every key, a monitor has few hot keys, and growth has new keys`() throws
  {
    #expect(try Workload.named("read-only", for: .dictionary).keyRange(forEntries: 64) == 64)
    #expect(try Workload.named("mixed", for: .dictionary).keyRange(forEntries: 64) == 128)
    #expect(try Workload.named("leak-monitor", for: .dictionary).keyRange(forEntries: 64) == 16)
    #expect(try Workload.named("replace-ten", for: .dictionary).keyRange(forEntries: 64) == 64)
    #expect(try Workload.named("replace-ten", for: .dictionary).prefill(forEntries: 64) == 64)
    #expect(try Workload.named("turnover-ten", for: .dictionary).keyRange(forEntries: 64) == 64)
    #expect(try Workload.named("turnover-ten", for: .dictionary).prefill(forEntries: 64) == 32)
    let growing = try Workload.named("rapid-grow", for: .dictionary)
    #expect(growing.keyRange(forEntries: 64) == 4 * (growing.entryLimit(forEntries: 64) ?? 0))
    #expect(growing.prefill(forEntries: 64) == 0)
  }
}
