import WeakCollections
import Workloads

/// Code that is generic in what is timed.
protocol SubjectVisitor {
  associatedtype Output
  func visit<S: TrialSubject>(_ type: S.Type) async -> Output
}

extension Contestant {
  /// Runs `visitor` on what the contestant's trials of `workload` time, as a concrete type.
  func withSubject<V: SubjectVisitor>(
    of workload: Workload, _ visitor: V
  ) async throws -> V.Output {
    switch (collection, design) {
    case (.weakArray, _): try await withWeakArray(SubjectOfArray(visitor: visitor))
    case (.weakSet, _): try await withWeakSet(SubjectOfSet(visitor: visitor))
    case (.dictionary, .foreign): await visitor.visit(ForeignMapSubject.self)
    case (.dictionary, .unshared):
      await visitor.visit(
        UnsharedSubject<DictionarySubject<UnsynchronizedDictionary<Int, Int>, IntegerEntries>>.self)
    case (.dictionary, .slowed):
      await visitor.visit(
        SlowedSubject<DictionarySubject<MutexDictionary<Int, Int>, IntegerEntries>>.self)
    case (.dictionary, _): try await withDictionary(of: workload.entries, visitor)
    }
  }

  private func withDictionary<V: SubjectVisitor>(
    of entries: EntryTypes, _ visitor: V
  ) async throws -> V.Output {
    switch entries {
    case .integerToInteger:
      try await withDictionary(SubjectOfDictionary<V, IntegerEntries>(visitor: visitor))
    case .stringToInteger:
      try await withDictionary(SubjectOfDictionary<V, StringEntries>(visitor: visitor))
    case .integerToObject:
      try await withDictionary(SubjectOfDictionary<V, ObjectEntries>(visitor: visitor))
    }
  }

  /// Runs `visitor` on the contestant's weak array, as a concrete type.
  func withWeakArray<V: WeakArrayVisitor>(_ visitor: V) async throws -> V.Output
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
  func withDictionary<V: DictionaryVisitor>(_ visitor: V) async throws -> V.Output {
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

private struct SubjectOfArray<V: SubjectVisitor>: WeakArrayVisitor {
  typealias Element = Member
  typealias Output = V.Output
  let visitor: V

  func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async -> Output
  where A.Element == Member {
    await visitor.visit(WeakArraySubject<A>.self)
  }
}

private struct SubjectOfDictionary<V: SubjectVisitor, E: DictionaryEntries>: DictionaryVisitor {
  typealias Key = E.Key
  typealias Value = E.Value
  typealias Output = V.Output
  let visitor: V

  func visit<D: ConcurrentDictionary & Sendable>(_ type: D.Type) async -> Output
  where D.Key == E.Key, D.Value == E.Value {
    await visitor.visit(DictionarySubject<D, E>.self)
  }
}

private struct SubjectOfSet<V: SubjectVisitor>: WeakSetVisitor {
  typealias Element = Member
  typealias Output = V.Output
  let visitor: V

  func visit<W: ConcurrentWeakSet & Sendable>(_ type: W.Type) async -> Output
  where W.Element == Member {
    await visitor.visit(WeakSetSubject<W>.self)
  }
}
