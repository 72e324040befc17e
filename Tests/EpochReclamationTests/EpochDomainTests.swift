import EpochReclamation
import Primitives
import Testing
import Threading

struct EpochDomainTests {
  static let capacities = [1, 4, 64]

  @Test(arguments: capacities)
  func `no entry is reclaimed while a pin can reach it, and all are afterwards`(_ capacity: Int)
    async
  {
    let lifetimes = LifetimeCounter()
    let (kept, reclaimed, backlog) = await onOwnThread {
      let domain = EpochDomain(bagCapacity: capacity)
      let reader = PinnedThread(pinning: domain)
      domain.retire(1000, in: lifetimes)
      for _ in 0..<5 { domain.advance() }
      let kept = lifetimes.live
      reader.leave()
      let reclaimed = domain.advance()
      let backlog = domain.telemetry.backlog
      reader.end()
      return (kept, reclaimed, backlog)
    }
    #expect(kept == 1000)
    #expect(reclaimed == 1000)
    #expect(backlog == 0)
    #expect(lifetimes.live == 0)
  }

  @Test func `a pin protects entries that its own thread retires`() async {
    let lifetimes = LifetimeCounter()
    let kept = await onOwnThread {
      let domain = EpochDomain(bagCapacity: 4)
      return domain.pin {
        domain.retire(100, in: lifetimes)
        return (domain.advance(), lifetimes.live)
      }
    }
    #expect(kept == (0, 100))
    #expect(lifetimes.live == 0)
  }

  @Test func `only the outermost of nested pins unpins`() async {
    let lifetimes = LifetimeCounter()
    let (kept, pinsInside, pinsAfter, reclaimed) = await onOwnThread {
      let domain = EpochDomain(bagCapacity: 4)
      let isInside = Gate()
      let mayLeave = Gate()
      let reader = OwnedThread {
        domain.pin {
          domain.pin { domain.pin {} }
          isInside.open()
          mayLeave.wait()
        }
      }
      isInside.wait()
      domain.retire(100, in: lifetimes)
      domain.advance()
      let kept = lifetimes.live
      let pinsInside = domain.telemetry.pins.count
      mayLeave.open()
      reader.join()
      return (kept, pinsInside, domain.telemetry.pins.count, domain.advance())
    }
    #expect(kept == 100)
    #expect(pinsInside == 1)
    #expect(pinsAfter == 0)
    #expect(reclaimed == 100)
  }

  @Test func `pin returns the result of its body and rethrows its errors`() async throws {
    struct Refusal: Error, Equatable {}
    let (value, error, pins) = await onOwnThread {
      let domain = EpochDomain()
      let value = domain.pin { 7 }
      var caught: Refusal?
      do throws(Refusal) {
        try domain.pin { () throws(Refusal) in throw Refusal() }
      } catch {
        caught = error
      }
      return (value, caught, domain.telemetry.pins)
    }
    #expect(value == 7)
    #expect(error == Refusal())
    #expect(pins == [])
  }

  @Test(arguments: capacities)
  func `without pins, one advance leaves at most one bag for each participant`(
    _ capacity: Int
  ) async {
    let lifetimes = LifetimeCounter()
    let (participants, backlog) = await onOwnThread {
      let domain = EpochDomain(bagCapacity: capacity)
      let mayEnd = Gate()
      let haveRetired = (0..<4).map { _ in Gate() }
      let threads = haveRetired.map { hasRetired in
        OwnedThread {
          domain.retire(1003, in: lifetimes)
          hasRetired.open()
          mayEnd.wait()
        }
      }
      for gate in haveRetired { gate.wait() }
      domain.advance()
      let telemetry = domain.telemetry
      mayEnd.open()
      for thread in threads { thread.join() }
      return (telemetry.participants, telemetry.backlog)
    }
    #expect(participants == 5)
    #expect(backlog <= participants * capacity)
    #expect(lifetimes.live == 0)
  }

  @Test func `a reclaimer that retires entries does not recurse, and all are reclaimed`() async {
    let depths = await onOwnThread {
      let domain = EpochDomain(bagCapacity: 4)
      let links = Atomic<Int>(0)
      let depth = Atomic<Int>(0)
      let deepest = Atomic<Int>(0)
      @Sendable func retireLink(_ number: Int) {
        domain.retire {
          let now = depth.wrappingAdd(1, ordering: .relaxed).newValue
          deepest.max(now, ordering: .relaxed)
          links.wrappingAdd(1, ordering: .relaxed)
          domain.pin {}
          domain.advance()
          if number < 2000 { retireLink(number + 1) }
          depth.wrappingSubtract(1, ordering: .relaxed)
        }
      }
      retireLink(1)
      var advances = 0
      while domain.telemetry.backlog > 0 && advances < 10_000 {
        domain.advance()
        advances += 1
      }
      return (links.load(ordering: .relaxed), deepest.load(ordering: .relaxed))
    }
    #expect(depths == (2000, 1))
  }

  @Test func `no reclaimer runs inside a critical section`() async {
    let lifetimes = LifetimeCounter()
    let (inside, after) = await onOwnThread {
      let domain = EpochDomain(bagCapacity: 4)
      let owner = Gate()
      let inside = CriticalSection.hold(owner) {
        domain.retire(100, in: lifetimes)
        domain.pin {}
        domain.advance()
        return lifetimes.live
      }
      domain.advance()
      return (inside, lifetimes.live)
    }
    #expect(inside == 100)
    #expect(after == 0)
  }

  @Test func `domains do not wait for each other's pins`() async {
    let lifetimes = LifetimeCounter()
    let live = await onOwnThread {
      let pinned = EpochDomain()
      let free = EpochDomain()
      let reader = PinnedThread(pinning: pinned)
      free.retire(100, in: lifetimes)
      pinned.pin {}
      free.advance()
      let live = lifetimes.live
      reader.end()
      return live
    }
    #expect(live == 0)
  }
}
