import Testing
import Threading
import WeakCollections

@testable import LeakMonitoring

private typealias Instances = LockFreeWeakSet<AnyObject>

private final class Idle {}

struct InstanceRegistryTests {
  private let lifetimes = LifetimeCounter()

  @Test(arguments: [1, 10, 100])
  func `at max, replaced instances cause no report and leave no entry`(_ max: Int) {
    check(InstanceSet<MutexWeakSet<AnyObject>>(of: Counted.self), max)
    check(InstanceSet<LockFreeWeakSet<AnyObject>>(of: Counted.self), max)
  }

  private func check<S: SynchronousWeakSet<AnyObject>>(_ set: InstanceSet<S>, _ max: Int) {
    var kept = (0..<max).map { Counted($0, in: lifetimes) }
    for object in kept { #expect(set.add(object, max: max) == nil) }
    for number in 0..<2 * max {
      // Replaces the oldest, the newest and the instances between them.
      kept[number % 3 == 0 ? max - 1 : number % max] = Counted(number, in: lifetimes)
      for object in kept where set.add(object, max: max) != nil {
        Issue.record("\(max) were too many")
      }
      #expect(set.entryCount <= max)
    }
    let another = Counted(in: lifetimes)
    #expect(set.add(another, max: max) == max + 1)
    #expect(set.liveCount == max + 1)
    withExtendedLifetime((kept, another)) {}
  }

  @Test func `a live object is counted although a newer one is dead`() {
    let set = InstanceSet<Instances>(of: Counted.self)
    let kept = [Counted(in: lifetimes), Counted(in: lifetimes)]
    _ = set.add(kept[0], max: 10)
    _ = set.add(kept[1], max: 10)
    _ = set.add(Counted(in: lifetimes), max: 10)
    #expect(set.add(kept[1], max: 1) == 2)
    withExtendedLifetime(kept) {}
  }

  @Test func `additions of one class compact the set of a class without additions`() {
    let (idle, busy) = (
      InstanceSet<Instances>(of: Counted.self), InstanceSet<Instances>(of: Idle.self)
    )
    let rounds = CompactionRounds<Instances>()
    var dying = (0..<1000).map { Counted($0, in: lifetimes) }
    for object in dying { _ = idle.add(object, max: .max) }
    dying = []
    #expect(idle.entryCount == 1000)
    // The first payment only collects the sets.
    for _ in 0..<2 + 1000 / CompactionRounds<Instances>.additionsAPayment {
      rounds.pay { [busy, idle] }
    }
    #expect(idle.entryCount == 0)
  }

  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `additions of one class compact the sets of the other classes`(_ backend: Backend) {
    let registry = InstanceRegistry(backend)
    for _ in 0..<10 { #expect(registry.add(Idle(), .max) == nil) }
    let kept = Counted(in: lifetimes)
    for _ in 0..<4 * 256 { _ = registry.add(kept, .max) }
    #expect(registry.entryCount(ObjectIdentifier(Idle.self)) == 0)
  }
}
