import PublishedDesigns
import WeakCollections

extension Contestant {
  /// Runs `visitor` on the contestant's weak array, as a concrete type.
  func withWeakArray<V: WeakArrayVisitor>(_ visitor: V) async throws -> V.Output
  where V.Element == Member {
    switch design {
    case .backend(let backend): try await backend.withWeakArray(visitor)
    case .emptyLoop: try await visitor.visit(EmptyWeakArray.self)
    case .lockAroundValue: try await visitor.visit(NSLockWeakArray<Member>.self)
    case .published: try await visitor.visit(PublishedWeakArrayAdapter.self)
    }
  }

  /// Runs `visitor` on the contestant's dictionary, as a concrete type.
  func withDictionary<V: DictionaryVisitor>(_ visitor: V) async throws -> V.Output
  where V.Key == Int, V.Value == Int {
    switch design {
    case .backend(let backend): try await backend.withDictionary(visitor)
    case .emptyLoop: try await visitor.visit(EmptyDictionary.self)
    case .lockAroundValue: try await visitor.visit(NSLockDictionary<Int, Int>.self)
    case .published: try await visitor.visit(PublishedDictionaryAdapter.self)
    }
  }
}
