import Testing
import Threading
import WeakCollections

@testable import LeakMonitoring

private typealias Instances = LockFreeWeakSet<AnyObject>

private final class Idle {}

struct RosterTests {
  private let lifetimes = LifetimeCounter()

  @Test(arguments: [1, 10, 100])
  func `at max with churn nothing is found, and no entry stays that need not`(_ max: Int) {
    check(Roster<MutexWeakSet<AnyObject>>(of: Counted.self), max)
    check(Roster<LockFreeWeakSet<AnyObject>>(of: Counted.self), max)
  }

  private func check<S: SynchronousWeakSet<AnyObject>>(_ roster: Roster<S>, _ max: Int) {
    var kept = (0..<max).map { Counted($0, in: lifetimes) }
    for object in kept { #expect(roster.add(object, max: max) == nil) }
    for number in 0..<2 * max {
      // The oldest, the newest, and those between.
      kept[number % 3 == 0 ? max - 1 : number % max] = Counted(number, in: lifetimes)
      for object in kept where roster.add(object, max: max) != nil {
        Issue.record("\(max) were too many")
      }
      #expect(roster.entryCount <= max)
    }
    let another = Counted(in: lifetimes)
    #expect(roster.add(another, max: max) == max + 1)
    #expect(roster.liveCount == max + 1)
    withExtendedLifetime((kept, another)) {}
  }

  @Test func `an object that lives is counted though one that came after it is dead`() {
    let roster = Roster<Instances>(of: Counted.self)
    let kept = [Counted(in: lifetimes), Counted(in: lifetimes)]
    _ = roster.add(kept[0], max: 10)
    _ = roster.add(kept[1], max: 10)
    _ = roster.add(Counted(in: lifetimes), max: 10)
    #expect(roster.add(kept[1], max: 1) == 2)
    withExtendedLifetime(kept) {}
  }

  @Test func `a class without new instances is swept by additions to others`() {
    let (idle, busy) = (Roster<Instances>(of: Counted.self), Roster<Instances>(of: Idle.self))
    let rounds = RosterRounds<Instances>()
    var dying = (0..<1000).map { Counted($0, in: lifetimes) }
    for object in dying { _ = idle.add(object, max: .max) }
    dying = []
    #expect(idle.entryCount == 1000)
    // The first only learns which rosters there are.
    for _ in 0..<2 + 1000 / RosterRounds<Instances>.additionsAPayment {
      rounds.pay { [busy, idle] }
    }
    #expect(idle.entryCount == 0)
  }

  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `a ledger sweeps the classes that it is not asked about`(_ backend: Backend) {
    let ledger = Ledger(backend)
    for _ in 0..<10 { #expect(ledger.add(Idle(), .max) == nil) }
    let kept = Counted(in: lifetimes)
    for _ in 0..<4 * 256 { _ = ledger.add(kept, .max) }
    #expect(ledger.entryCount(ObjectIdentifier(Idle.self)) == 0)
  }
}
