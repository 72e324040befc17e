extension TrialSpecification {
  func makeSoaked() async throws -> any SoakedCollection {
    try await contestant.withSubject(of: workload, Maker(specification: self))
  }

  private struct Maker: SubjectVisitor {
    let specification: TrialSpecification

    func visit<S: TrialSubject>(_ type: S.Type) async -> any SoakedCollection {
      await SoakedSubject<S>(specification)
    }
  }
}
