import EpochReclamation
import Primitives
import Testing
import Threading

struct StalledParticipantTests {
  @Test func `the backlog is exactly what was retired since the pin`() async {
    let lifetimes = LifetimeCounter()
    let (before, during) = await onOwnThread {
      let domain = EpochDomain(bagCapacity: 4)
      domain.retire(100, in: lifetimes)
      domain.advance()
      let before = domain.telemetry.backlog
      let reader = PinnedThread(pinning: domain)
      domain.retire(777, in: lifetimes)
      domain.advance()
      let during = domain.telemetry.backlog
      reader.end()
      return (before, during)
    }
    #expect(before == 0)
    #expect(during == 777)
  }

  @Test func `telemetry names the thread that holds the epoch`() async {
    let (number, stalled, after) = await onOwnThread {
      let domain = EpochDomain(bagCapacity: 4)
      let reader = PinnedThread(pinning: domain)
      domain.advance()
      let stalled = domain.telemetry
      reader.end()
      domain.advance()
      return (reader.threadNumber, stalled, domain.telemetry)
    }
    #expect(stalled.blockedBy == number)
    #expect(stalled.pins.map(\.threadNumber) == [number])
    #expect(stalled.failedAdvances > 0)
    #expect(after.blockedBy == nil)
    #expect(after.pins == [])
  }

  @Test func `a large node is reclaimed after a stall, although nothing more is retired`() async {
    let lifetimes = LifetimeCounter()
    let (atOnce, during, after) = await onOwnThread {
      let domain = EpochDomain(bagCapacity: 4)
      func retireLargeNode() {
        let node = Unmanaged.passRetained(Counted(0, in: lifetimes)).toOpaque()
        domain.pin { domain.retire(node, as: CountedEntry.self, byteCount: 1 << 14) }
      }
      retireLargeNode()
      let atOnce = lifetimes.live
      let reader = PinnedThread(pinning: domain)
      retireLargeNode()
      let during = lifetimes.live
      reader.end()
      for _ in 0...domain.bagCapacity { domain.pin {} }
      return (atOnce, during, lifetimes.live)
    }
    #expect(atOnce == 0)
    #expect(during == 1)
    #expect(after == 0)
  }

  /// The three of them in one go, at the capacity that programs have and at a small one.
  @Test(arguments: [1, 4, 64])
  func `the backlog is exact, its cause is named, and one advance after the unpin bounds it`(
    capacity: Int
  ) async {
    let lifetimes = LifetimeCounter()
    let (number, stalled, after) = await onOwnThread {
      let domain = EpochDomain(bagCapacity: capacity)
      let reader = PinnedThread(pinning: domain)
      domain.retire(5000, in: lifetimes)
      domain.advance()
      let stalled = (domain.telemetry, live: lifetimes.live)
      reader.leave()
      domain.advance()
      let after = (domain.telemetry, live: lifetimes.live)
      reader.end()
      return (reader.threadNumber, stalled, after)
    }
    #expect(stalled.0.backlog == 5000 && stalled.live == 5000)
    #expect(stalled.0.blockedBy == number)
    #expect(after.0.participants == 2)
    #expect(after.0.backlog == after.live)
    #expect(after.0.backlog <= after.0.participants * capacity)
    #expect(after.0.blockedBy == nil)
  }

  @Test(arguments: [(4, 100), (4, 10_000), (64, 10_000)])
  func `after the unpin all is reclaimed within the documented number of retires`(
    _ capacity: Int, _ kept: Int
  ) async {
    let stalled = LifetimeCounter()
    let later = LifetimeCounter()
    let (participants, retires) = await onOwnThread {
      let domain = EpochDomain(bagCapacity: capacity)
      let reader = PinnedThread(pinning: domain)
      domain.retire(kept, in: stalled)
      reader.leave()
      var retires = 0
      while stalled.live > 0 && retires < 10 * (kept + capacity) {
        domain.retire(1, in: later)
        retires += 1
      }
      let participants = domain.telemetry.participants
      reader.end()
      return (participants, retires)
    }
    #expect(stalled.live == 0)
    #expect(participants == 2)
    #expect(retires <= (3 * capacity + 3 * kept / capacity) * participants)
  }

  /// A thread that took part before does not inherit the record of the ended one, with its bags.
  @Test(arguments: [false, true])
  func `what an ended thread left is reclaimed by another's retires`(tookPart: Bool) async {
    let left = LifetimeCounter()
    let later = LifetimeCounter()
    let retires = await onOwnThread {
      let domain = EpochDomain(bagCapacity: 4)
      if tookPart { domain.pin {} }
      let reader = PinnedThread(pinning: domain)
      OwnedThread { domain.retire(1000, in: left) }.join()
      reader.leave()
      var retires = 0
      while left.live > 0 && retires < 100_000 {
        domain.retire(1, in: later)
        retires += 1
      }
      reader.end()
      return retires
    }
    #expect(left.live == 0)
    #expect(retires <= (3 * 4 + 3 * 1000 / 4) * 3)
  }

  @Test func `a stall is reported from the limit on, outside pins`() async {
    let (early, reports, backlog, pins) = await onOwnThread {
      let reports = Atomic<Int>(0)
      let backlog = Atomic<Int>(0)
      let ownPins = Atomic<Int>(0)
      let domain = EpochDomain(bagCapacity: 4, backlogLimit: 50) { telemetry in
        reports.wrappingAdd(1, ordering: .relaxed)
        backlog.store(telemetry.backlog, ordering: .relaxed)
        ownPins.store(
          telemetry.pins.count { $0.threadNumber == CurrentThread.number }, ordering: .relaxed)
      }
      let lifetimes = LifetimeCounter()
      let reader = PinnedThread(pinning: domain)
      domain.retire(50, in: lifetimes)
      let early = reports.load(ordering: .relaxed)
      domain.pin { domain.retire(50, in: lifetimes) }
      reader.end()
      return (
        early, reports.load(ordering: .relaxed), backlog.load(ordering: .relaxed),
        ownPins.load(ordering: .relaxed)
      )
    }
    #expect(early == 0)
    #expect(reports == 1)
    #expect(backlog == 100)
    #expect(pins == 0)
  }
}
