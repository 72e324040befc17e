import Testing
import Threading
import WeakCollections

final class Listener: Sendable {
  func hear() {}
}

/// Runs longer examples of the published names; `DocumentationTests` runs those of the documents.
@Suite struct ReadmeTests {
  @Test func `the assertions of the first example hold`() {
    let listeners = AtomicWeakArray<Listener>()
    var listener: Listener? = Listener()
    listeners.append(listener!)
    listeners.forEach { $0.hear() }
    listener = nil
    assert(listeners.all.isEmpty)

    let visits = AtomicDictionary<String, Int>()
    let count = visits.update("home") { value in
      value = (value ?? 0) + 1
      return value!
    }
    assert(count == 1)
  }

  @Test func `the assertions of the second example hold`() {
    // One entry for each object, by identity.
    let sessions = AtomicWeakSet<Listener>()
    let session = Listener()
    assert(sessions.insert(session).inserted)
    assert(!sessions.insert(session).inserted)

    // Exact: all threads that hold a value of the same key hold the same object.
    let images = AtomicWeakValueDictionary<String, Listener>()
    let logo = images.value(forKey: "logo", orInsert: { Listener() })
    assert(images.value(forKey: "logo") === logo)

    // A value is released after the death of its key. Not for concurrent use.
    var sizes = WeakKeyDictionary<Listener, Int>()
    sizes[logo] = 42
    assert(sizes.count == 1)
  }
}

struct BackendNameTests {
  @Test(arguments: Backend.allCases)
  func `a backend's trait is named like its types`(_ backend: Backend) {
    #expect(
      backend.trait == backend.typeName(for: .dictionary).replacing("Dictionary", with: "Backend"))
  }

  @Test(arguments: Backend.supporting(.weakArray))
  func `a backend's type names match its types`(_ backend: Backend) async throws {
    struct WeakArrayName: WeakArrayVisitor {
      typealias Element = Counted
      func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async throws -> String
      where A.Element == Counted { "\(type)" }
    }
    let name = try await backend.withWeakArray(WeakArrayName())
    let alias = backend.typeName(for: .weakArray)
    // The names of lock-based arrays are aliases of `LockedWeakArray` with their lock.
    #expect(name.hasPrefix(alias) || name.hasPrefix("LockedWeakArray<Counted, "))
  }
}
