import Primitives
import Testing
import Threading

@testable import EpochReclamation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

extension EpochDomain {
  /// How many records were ever made.
  var recordCount: Int {
    var count = 0
    var next = participants.first
    while let participant = next {
      count += 1
      next = participant.next
    }
    return count
  }
}

struct ThreadExitTests {
  @Test func `a thread that ended leaves nothing behind`() async {
    let lifetimes = LifetimeCounter()
    let (left, participants, reclaimed) = await onOwnThread {
      let domain = EpochDomain(bagCapacity: 64)
      OwnedThread { domain.retire(10, in: lifetimes) }.join()
      let left = lifetimes.live
      return (left, domain.telemetry.participants, domain.advance())
    }
    #expect(left == 10)
    #expect(participants == 0)
    #expect(reclaimed == 10)
  }

  @Test func `a record is reused by the next thread`() async {
    let lifetimes = LifetimeCounter()
    let (records, participants, backlog) = await onOwnThread {
      let domain = EpochDomain(bagCapacity: 4)
      for _ in 0..<50 { OwnedThread { domain.retire(3, in: lifetimes) }.join() }
      domain.advance()
      return (domain.recordCount, domain.telemetry.participants, domain.telemetry.backlog)
    }
    #expect(records == 1)
    #expect(participants == 1)
    #expect(backlog == 0)
  }

  @Test(.enabled(if: AsymmetricBarrier.isSupported))
  func `each thread that reuses a record pins asymmetrically after its own first pins`() async {
    let states = await onOwnThread {
      let domain = EpochDomain(pinning: .asymmetric(afterPins: 4))
      return (0..<3).map { _ in
        joinOwnThreads(1) { _ in
          for _ in 0..<4 { domain.pin {} }
          let before = domain.participantOfThisThread.ownState.isAsymmetric
          domain.pin {}
          return [before, domain.participantOfThisThread.ownState.isAsymmetric]
        }[0]
      }
    }
    #expect(states == [[false, true], [false, true], [false, true]])
  }

  @Test func `threads that begin and end together never share a record`() async {
    let lifetimes = LifetimeCounter()
    let (records, backlog) = await onOwnThread {
      let domain = EpochDomain(bagCapacity: 4)
      for _ in 0..<40 {
        let threads = (0..<8).map { _ in OwnedThread { domain.retire(17, in: lifetimes) } }
        for thread in threads { thread.join() }
      }
      domain.advance()
      return (domain.recordCount, domain.telemetry.backlog)
    }
    #expect(records <= 8)
    #expect(backlog == 0)
    #expect(lifetimes.births == 40 * 8 * 17)
    #expect(lifetimes.live == 0)
  }

  @Test func `a domain ends with its last thread and reclaims everything`() async {
    let lifetimes = LifetimeCounter()
    let (aliveWithThread, aliveAfter) = await onOwnThread {
      weak var ended: EpochDomain?
      let hasRetired = Gate()
      let mayEnd = Gate()
      var thread: OwnedThread?
      do {
        let domain = EpochDomain()
        ended = domain
        thread = OwnedThread { [weak domain] in
          domain?.retire(100, in: lifetimes)
          hasRetired.open()
          mayEnd.wait()
        }
        hasRetired.wait()
      }
      let aliveWithThread = ended != nil
      mayEnd.open()
      thread?.join()
      return (aliveWithThread, ended != nil)
    }
    #expect(aliveWithThread)
    #expect(!aliveAfter)
    #expect(lifetimes.live == 0)
  }

  @Test func `one thread takes part in several domains and leaves them all`() async {
    let lifetimes = LifetimeCounter()
    let participants = await onOwnThread {
      let domains = (0..<4).map { _ in EpochDomain(bagCapacity: 4) }
      OwnedThread {
        for round in 0..<100 { domains[(round * 7) % 4].retire(1, in: lifetimes) }
      }.join()
      let participants = domains.map(\.telemetry.participants)
      for domain in domains { domain.advance() }
      return participants
    }
    #expect(participants == [0, 0, 0, 0])
    #expect(lifetimes.live == 0)
  }

  @Test func `a later thread-exit handler may use the domain once more`() async {
    let lifetimes = LifetimeCounter()
    let (retired, participants, backlog) = await onOwnThread {
      let domain = EpochDomain(bagCapacity: 4)
      domain.pin {}  // The domain's own exit handler exists before the one below.
      var key = pthread_key_t()
      pthread_key_create(&key) { pointer in
        #if canImport(Darwin)
          let dying = Unmanaged<Dying>.fromOpaque(pointer)
        #else
          let dying = Unmanaged<Dying>.fromOpaque(pointer!)
        #endif
        dying.release()
      }
      let exitKey = key
      OwnedThread {
        domain.retire(5, in: lifetimes)
        let late = Dying {
          domain.pin {}
          domain.retire(6, in: lifetimes)
        }
        pthread_setspecific(exitKey, Unmanaged.passRetained(late).toOpaque())
      }.join()
      let participants = domain.telemetry.participants
      domain.advance()
      pthread_key_delete(key)
      return (lifetimes.births, participants, domain.telemetry.backlog)
    }
    #expect(retired == 11)
    #expect(participants == 1)
    #expect(backlog == 0)
  }
}
