import WeakCollections

extension TrialSpecification {
  func makeSoaked() async throws -> any SoakedCollection {
    switch contestant.collection {
    case .weakArray: try await contestant.withWeakArray(Maker(specification: self))
    case .dictionary: try await contestant.withDictionary(Maker(specification: self))
    }
  }

  private struct Maker: WeakArrayVisitor, DictionaryVisitor {
    typealias Element = Member
    typealias Key = Int
    typealias Value = Int
    typealias Output = any SoakedCollection

    let specification: TrialSpecification

    func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async -> Output
    where A.Element == Member {
      await SoakedSubject<WeakArraySubject<A>>(specification)
    }

    func visit<D: ConcurrentDictionary & Sendable>(_ type: D.Type) async -> Output
    where D.Key == Int, D.Value == Int {
      await SoakedSubject<DictionarySubject<D>>(specification)
    }
  }
}
