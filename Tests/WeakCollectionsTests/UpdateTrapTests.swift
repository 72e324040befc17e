import Testing
import WeakCollections

/// What an `update` must not do inside itself: it stops the process with one line, and never hangs.
@Suite(.serialized, .timeLimit(.minutes(10))) struct UpdateTrapTests {
  enum Use: String, CaseIterable, Codable {
    case update, updateOfAnotherKey, set, remove, removeAll, getOrInsert

    func applyInsideUpdate(_ backend: Backend) async throws {
      applyInsideUpdate(
        of: try await backend.synchronousDictionary(from: Int.self, to: Int.self))
    }

    private func applyInsideUpdate<D: SynchronousDictionary<Int, Int>>(of dictionary: D) {
      dictionary.update(1) { _ in apply(to: dictionary) }
    }

    private func apply<D: SynchronousDictionary<Int, Int>>(to dictionary: D) {
      switch self {
      case .update: dictionary.update(1) { $0 = 2 }
      case .updateOfAnotherKey: dictionary.update(2) { $0 = 2 }
      case .set: dictionary.setValue(2, forKey: 1)
      case .remove: dictionary.removeValue(forKey: 1)
      case .removeAll: dictionary.removeAll()
      case .getOrInsert: _ = dictionary.value(forKey: 1, orInsert: { 2 })
      }
    }
  }

  @Test(arguments: Backend.synchronous(.dictionary), Use.allCases)
  func `writing inside update traps`(_ backend: Backend, _ use: Use) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [backend, use] in
      try await use.applyInsideUpdate(backend)
    }
    let error = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(error.contains("update's body must not use the collection that it updates"))
  }
}
