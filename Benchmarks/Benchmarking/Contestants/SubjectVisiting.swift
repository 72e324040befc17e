import WeakCollections
import Workloads

extension Contestant {
  /// How trials of `workload` make what they time.
  func subjectFactory(for workload: Workload) async throws -> SubjectFactory {
    switch (collection, design) {
    case (_, .custom(let design)): design.makeSubject
    case (.weakArray, _): try await WeakArraySubject.factory(for: self)
    case (.weakSet, _): try await WeakSetSubject.factory(for: self)
    case (.dictionary, .foreign): { ForeignMapSubject($0) }
    case (.dictionary, .unshared): { UnsharedSubject($0) }
    case (.dictionary, .slowed): { DictionarySubject<IntegerEntries>(slowed: $0) }
    case (.dictionary, _):
      switch workload.entries {
      case .integerToInteger: try await IntegerEntries.subjectFactory(for: self)
      case .stringToInteger: try await StringEntries.subjectFactory(for: self)
      case .integerToObject: try await ObjectEntries.subjectFactory(for: self)
      }
    }
  }

  /// Runs `visitor` on the contestant's weak array, as a concrete type.
  package func withWeakArray<V: WeakArrayVisitor>(_ visitor: V) async throws -> V.Output
  where V.Element == Member {
    switch design {
    case .backend(let backend): try await backend.withWeakArray(visitor)
    case .emptyLoop: try await visitor.visit(EmptyWeakArray.self)
    case .custom, .foreign, .slowed, .unshared:
      preconditionFailure("expected a weak array of this package")
    case .lockAroundValue: try await visitor.visit(NSLockWeakArray<Member>.self)
    case .published: try await visitor.visit(PublishedWeakArrayAdapter.self)
    }
  }

  /// Runs `visitor` on the contestant's dictionary, as a concrete type.
  package func withDictionary<V: DictionaryVisitor>(_ visitor: V) async throws -> V.Output {
    switch design {
    case .backend(let backend): try await backend.withDictionary(visitor)
    case .emptyLoop: try await visitor.visit(EmptyDictionary<V.Key, V.Value>.self)
    case .custom, .foreign: preconditionFailure("expected a Swift type of this package")
    case .slowed: preconditionFailure("\(name) has a subject of its own")
    case .unshared: try await visitor.visit(UnsynchronizedDictionary<V.Key, V.Value>.self)
    case .lockAroundValue: try await visitor.visit(NSLockDictionary<V.Key, V.Value>.self)
    case .published: try await visitor.visit(PublishedDictionaryAdapter<V.Key, V.Value>.self)
    }
  }

  /// Runs `visitor` on the contestant's weak set, as a concrete type.
  func withWeakSet<V: WeakSetVisitor>(_ visitor: V) async throws -> V.Output
  where V.Element == Member {
    switch design {
    case .backend(let backend): try await backend.withWeakSet(visitor)
    case .emptyLoop: try await visitor.visit(EmptyWeakSet.self)
    case .custom, .foreign, .lockAroundValue, .published, .slowed, .unshared:
      preconditionFailure("expected a design that has weak sets, see Contestant.all(for:)")
    }
  }
}
