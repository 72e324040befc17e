import Testing
import Threading
import WeakCollections

struct BackendNameTests {
  @Test(arguments: Backend.allCases)
  func `a backend's trait is named as its types are`(_ backend: Backend) {
    #expect(
      backend.trait == backend.typeName(for: .dictionary).replacing("Dictionary", with: "Backend"))
  }

  @Test(arguments: Backend.supporting(.weakArray))
  func `a backend's type names are those of its types`(_ backend: Backend) async throws {
    struct WeakArrayName: WeakArrayVisitor {
      typealias Element = Counted
      func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async throws -> String
      where A.Element == Counted { "\(type)" }
    }
    let name = try await backend.withWeakArray(WeakArrayName())
    let alias = backend.typeName(for: .weakArray)
    // Lock-based ones are aliases of `LockedWeakArray` with their lock.
    #expect(name.hasPrefix(alias) || name.hasPrefix("LockedWeakArray<Counted, "))
  }
}
