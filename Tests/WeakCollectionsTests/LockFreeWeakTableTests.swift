import EpochReclamation
import Testing
import Threading

@testable import WeakCollections

struct LockFreeWeakTableTests {
  @Test func `what is compacted is as small as if its keys had been removed`() {
    let table = LockFreeWeakTable<ObjectIdentifier, Counted>(domain: EpochDomain())
    let census = Census()
    var objects = (0..<20_000).map { Counted($0, in: census) }
    for object in objects { _ = table.insert(object, for: ObjectIdentifier(object)) }
    objects.removeLast(objects.count - 10)
    table.purge()
    table.purge()
    #expect(table.count == objects.count)
    // It was of 32,768 cells or more.
    #expect(table.values.current.capacity <= 256)
    withExtendedLifetime(objects) {}
  }
}
