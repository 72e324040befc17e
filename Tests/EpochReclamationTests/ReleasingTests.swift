import EpochReclamation
import Primitives
import Testing
import Threading

/// When a released node is reclaimed, and on which thread.
@Suite(.timeLimit(.minutes(10))) struct ReleasingTests {
  @Test func `a node is reclaimed in the call if no thread is pinned`() async {
    let (live, hasReleaser) = await onOwnThread {
      let domain = EpochDomain()
      let lifetimes = LifetimeCounter()
      // Threads that pin asymmetrically, and are idle or have ended.
      let idle = PinnedThread { stay in
        for _ in 0..<100 { domain.pin {} }
        stay()
      }
      OwnedThread { for _ in 0..<100 { domain.pin {} } }.join()
      for _ in 0..<100 { domain.pin {} }
      domain.release(10, in: lifetimes)
      let live = lifetimes.live
      let hasReleaser = domain.hasReleaser
      idle.leave()
      idle.end()
      return (live, hasReleaser)
    }
    #expect(live == 0)
    #expect(!hasReleaser)
  }

  @Test func `a node that a reader may see is reclaimed after its pin, without a call`() async {
    await onOwnThread {
      let domain = EpochDomain(reportStall: { _ in })
      let lifetimes = LifetimeCounter()
      for round in 0..<3 {
        let reader = PinnedThread(pinning: domain)
        domain.release(10, in: lifetimes)
        for _ in 0..<20 { domain.advance() }
        #expect(lifetimes.live == 10, "round \(round)")
        reader.leave()
        while lifetimes.live > 0 { BackgroundThread.sleep(microseconds: 100) }
        reader.end()
        // The thread ends, and the next round needs a new one.
        if round == 1 { while domain.hasReleaser { BackgroundThread.sleep(microseconds: 500) } }
      }
      while domain.hasReleaser { BackgroundThread.sleep(microseconds: 500) }
    }
  }

  @Test func `a thread that is pinned or inside an update leaves the release to the library`() async
  {
    await onOwnThread {
      let domain = EpochDomain()
      let me = CurrentThread.number
      let places = Mutex([UInt64]())
      @Sendable func note() { places.withLock { $0.append(CurrentThread.number) } }
      domain.pin { domain.release(note) }
      CriticalSection.hold(domain) { domain.release(note) }
      while places.withLock(\.count) < 2 { BackgroundThread.sleep(microseconds: 100) }
      #expect(!places.withLock { $0.contains(me) })
      domain.release(note)
      #expect(places.withLock { $0.last } == me)
    }
  }

  @Test func `a long chain of nodes does not exhaust the stack`() async {
    await onOwnThread {
      let domain = EpochDomain()
      let links = Counter()
      @Sendable func releaseLink(_ number: Int) {
        domain.release {
          links.add()
          if number < 50_000 { releaseLink(number + 1) }
        }
      }
      releaseLink(1)
      while links.total < 50_000 { BackgroundThread.sleep(microseconds: 100) }
    }
  }

  @Test func `a body that delays a release for long is reported once, and no other pin is`() async {
    await onOwnThread {
      let stalls = Mutex([EpochTelemetry]())
      let domain = EpochDomain(reportStall: { stall in stalls.withLock { $0.append(stall) } })
      let lifetimes = LifetimeCounter()
      let idle = PinnedThread(pinning: domain)
      domain.release(1, in: lifetimes)
      BackgroundThread.sleep(microseconds: 300_000)
      idle.leave()
      while lifetimes.live > 0 { BackgroundThread.sleep(microseconds: 100) }
      idle.end()
      let reader = PinnedThread { stay in domain.pinLending { domain.pinLending { stay() } } }
      domain.release(1, in: lifetimes)
      while stalls.withLock(\.isEmpty) { BackgroundThread.sleep(microseconds: 1000) }
      BackgroundThread.sleep(microseconds: 300_000)
      reader.leave()
      while lifetimes.live > 0 { BackgroundThread.sleep(microseconds: 100) }
      reader.end()
      #expect(stalls.withLock { $0.map(\.blockedBy) } == [reader.threadNumber])
    }
  }

  @Test func `many threads release while others are pinned, and every node is reclaimed once`()
    async
  {
    await onOwnThread {
      let domain = EpochDomain(bagCapacity: 4, reportStall: { _ in })
      let lifetimes = LifetimeCounter()
      _ = joinOwnThreads(4) { thread in
        for _ in 0..<2000 {
          domain.pin { domain.pin {} }
          if thread % 2 == 0 { domain.release(1, in: lifetimes) }
        }
      }
      while lifetimes.live > 0 { BackgroundThread.sleep(microseconds: 100) }
    }
  }
}
