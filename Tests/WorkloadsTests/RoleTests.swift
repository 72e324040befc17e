import Testing

@testable import Workloads

@Suite struct RoleTests {
  private func roles(_ text: String) throws -> [Role] { try Role.roles(parsing: text) }

  @Test func `the order in which roles are given does not matter`() throws {
    let typed = try roles("dropper=1, reader=3,writer=1")
    #expect(typed.map(\.name) == ["reader", "writer", "dropper"])
    #expect(Role.text(of: typed) == "reader=3 writer=1 dropper=1")
    #expect(try roles(Role.text(of: typed)) == typed)
  }

  @Test(arguments: [
    ("", "the list of roles is empty"), ("reader", "'reader' is not a role"),
    ("reader=two", "is not a role"),
    ("reader=1,", "'' is not a role"), ("raeder=1", "did you mean reader?"),
    ("reader=1,reader=2", "'reader' twice"), ("reader=0", "may have 1 to 1024"),
    ("reader=1024,writer=1", "1025 workers"),
  ])
  func `invalid roles are an error of one line that names what is allowed`(
    _ text: String, _ hint: String
  ) {
    let error = #expect(throws: WorkloadError.self) { try roles(text) }
    #expect(error?.description.contains(hint) == true)
    #expect(error?.description.contains { $0.isNewline } == false)
  }

  @Test(arguments: WorkloadSubject.allCases)
  func `workers are numbered consecutively, and each executes its role's operations`(
    _ subject: WorkloadSubject
  ) throws {
    let workload = Workload.roles(try roles("reader=2,writer=1,iterator=1"), for: subject)
    #expect(workload.workers == 4)
    #expect(
      (0..<5).map { workload.role(ofWorker: $0)?.name }
        == ["reader", "reader", "writer", "iterator", nil])
    #expect(workload.work(ofWorker: 1).mix.read == 100)
    #expect(workload.work(ofWorker: 2).mix.insert > 0)
    #expect(workload.work(ofWorker: 3).mix.iterate == 100)
  }

  @Test func `without roles each worker executes the whole workload`() throws {
    let workload = try Workload.named("churn", for: .weakArray)
    #expect(workload.workers == nil)
    #expect(workload.work(ofWorker: 7) == workload)
  }

  @Test(arguments: WorkloadSubject.allCases)
  func `the mix is the mean over the workers, and includes rare operations`(
    _ subject: WorkloadSubject
  ) throws {
    #expect(
      Workload.roles(try roles("reader=3,iterator=1"), for: subject).mix
        == .shares(read: 75, iterate: 25))
    let rare = Workload.roles(try roles("reader=1000,updater=1,iterator=2"), for: subject).mix
    #expect(rare == .shares(read: 98, update: 1, iterate: 1))
  }

  @Test func `droppers add the elements that they drop, so the prefill leaves them out`() throws {
    for text in ["reader=3,dropper=1", "dropper=4"] {
      let roles = try roles(text)
      let droppers = roles.last!.workers
      let array = Workload.roles(roles, for: .weakArray)
      #expect(array.prefill(forEntries: 1000) == 1000 - 250 * droppers)
      #expect(Workload.roles(roles, for: .dictionary).prefill(forEntries: 1000) == 1000)
    }
    #expect(Workload.roles(try roles("dropper=3"), for: .weakSet).prefill(forEntries: 1000) == 0)
  }

  @Test(arguments: WorkloadSubject.allCases)
  func `no worker of a role empties the collection`(_ subject: WorkloadSubject) throws {
    let roles = try roles("reader=1,writer=1,updater=1,dropper=1,iterator=1")
    #expect(Workload.roles(roles, for: subject).entryLimit(forEntries: 10) == nil)
  }
}
