import EpochReclamation
import Primitives
import Testing
import Threading
import WeakCollections

/// Tests of a reader that stays pinned: it delays exactly the reclamation of memory retired since
/// its pin, and no object; the telemetry names it, and reclamation continues when it leaves.
struct PinnedReaderTests {
  /// The telemetry of a domain and the number of live values.
  private struct Look: Sendable {
    let telemetry: EpochTelemetry
    let live: Int

    init(_ domain: EpochDomain, _ lifetimes: LifetimeCounter) {
      telemetry = domain.telemetry
      live = lifetimes.live
    }
  }

  private static let writes = 2000

  @Test
  func `a dictionary keeps the memory of objects replaced since the pin, but not the objects`()
    async
  {
    let (number, stalled, after) = await onOwnThread {
      let domain = EpochDomain(bagCapacity: 64)
      let lifetimes = LifetimeCounter()
      let dictionary = LockFreeDictionary<Int, Counted>(domain: domain)
      dictionary.setValue(Counted(in: lifetimes), forKey: 1)
      domain.advance()
      let reader = PinnedThread { stay in domain.pin { stay() } }
      for number in 0..<Self.writes {
        dictionary.setValue(Counted(number, in: lifetimes), forKey: 1)
      }
      domain.advance()
      let stalled = Look(domain, lifetimes)
      reader.leave()
      domain.advance()
      let after = Look(domain, lifetimes)
      reader.end()
      dictionary.removeAll()
      return (reader.threadNumber, stalled, after)
    }
    // One entry for the memory of each replaced object. On systems where a reader cannot promote an
    // object, the library's thread releases it instead, and retires nothing.
    #if os(Linux) && !WeakBoxes
      #expect(stalled.telemetry.backlog == Self.writes)
      #expect(stalled.live == 1)
      expectRelease(after, stalled, by: number)
      #expect(after.live == 1)
    #else
      #expect(stalled.live == Self.writes + 1)
    #endif
  }

  @Test
  func `a weak array keeps exactly the entries retired since the pin, and reclaims them after it`()
    async
  {
    let (number, pinned, stalled, after) = await onOwnThread {
      let domain = EpochDomain(bagCapacity: 64)
      let lifetimes = LifetimeCounter()
      let array = LockFreeWeakArray<Counted>(domain: domain)
      let elements = (0..<Self.writes).map { Counted($0, in: lifetimes) }
      for element in elements { array.append(element) }
      domain.advance()
      let reader = PinnedThread { stay in domain.pin { stay() } }
      let pinned = Look(domain, lifetimes)
      for element in elements { array.remove(element) }
      domain.advance()
      let stalled = Look(domain, lifetimes)
      reader.leave()
      domain.advance()
      let after = Look(domain, lifetimes)
      reader.end()
      return (reader.threadNumber, pinned, stalled, after)
    }
    #expect(pinned.telemetry.backlog == 0)
    #expect(stalled.telemetry.reclaimed == pinned.telemetry.reclaimed)
    let retiredSince = stalled.telemetry.retired - pinned.telemetry.retired
    #expect(stalled.telemetry.backlog == retiredSince)
    #expect(retiredSince >= Self.writes)
    expectRelease(after, stalled, by: number)
  }

  /// Expects that the telemetry named the reader during its pin, and that one advance after the pin
  /// reclaimed the backlog.
  private func expectRelease(_ after: Look, _ stalled: Look, by number: UInt64) {
    #expect(stalled.telemetry.blockedBy == number)
    #expect(stalled.telemetry.pins.map(\.threadNumber) == [number])
    #expect(after.telemetry.blockedBy == nil)
    #expect(after.telemetry.pins == [])
    let bound = after.telemetry.participants * 64
    #expect(after.telemetry.participants == 2)
    #expect(after.telemetry.backlog <= bound)
  }
}
