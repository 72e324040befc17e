import Testing
import Threading

struct OwnedThreadTests {
  @Test
  func `a rendezvous blocks all threads until the last has arrived and run its action`() async {
    for threads in [1, 2, 8] {
      let rendezvous = Rendezvous(count: threads)
      let acted = Flag()
      let seen = await onOwnThreads(threads) { _ in
        let early = acted.isRaised
        rendezvous.arrive { acted.raise() }
        return !early && acted.isRaised
      }
      #expect(seen == Array(repeating: true, count: threads))
      #expect(rendezvous.hasOpened)
    }
  }

  @Test
  func `a rendezvous stays closed while a thread has not arrived`() {
    let rendezvous = Rendezvous(count: 2)
    let other = OwnedThread { rendezvous.arrive() }
    #expect(!rendezvous.hasOpened)
    rendezvous.arrive()
    #expect(rendezvous.hasOpened)
    other.join()
  }

  @Test
  func `results are in the order of the threads, independent of the order in which they end`() async
  {
    let gates = (0..<4).map { _ in Gate() }
    let results = await onOwnThreads(4) { index in
      if index < 3 { gates[index + 1].wait() }
      gates[index].open()
      return index
    }
    #expect(results == [0, 1, 2, 3])
  }

  @Test
  func `tasks on owned threads may block each other, before and after suspending`() async {
    let first = Gate()
    let second = Gate()
    let results = await inOwnThreadTasks(2) { index in
      if index == 0 { first.wait() } else { first.open() }
      await Task.yield()
      if index == 0 { second.open() } else { second.wait() }
      return index
    }
    #expect(results == [0, 1])
  }

  @Test
  func `a body that blocks is abandoned at its time limit, and may still end`() async {
    let gate = Gate()
    let end = Gate()
    let isInTime = await OwnedThreadExecutor.run(within: .milliseconds(50)) {
      gate.wait()
      await Task.yield()
      end.open()
    }
    #expect(!isInTime)
    gate.open()
    await onOwnThread { end.wait() }
    #expect(await OwnedThreadExecutor.run(within: .seconds(60)) { await Task.yield() })
  }

  @Test
  func `a lifetime counter counts live and dead objects in all tallies`() {
    let lifetimes = LifetimeCounter(workers: 2)
    var kept: [Counted] = lifetimes.tallies.map { Counted(in: $0) }
    kept.append(Counted(7, in: lifetimes))
    #expect(kept.last?.number == 7)
    #expect((lifetimes.births, lifetimes.deaths, lifetimes.live) == (3, 0, 3))
    kept.removeFirst()
    #expect((lifetimes.births, lifetimes.deaths, lifetimes.live) == (3, 1, 2))
    kept.removeAll()
    #expect(lifetimes.live == 0)
  }

  /// A flag whose accesses only the rendezvous orders.
  // @unchecked: the test checks that the rendezvous orders the accesses.
  private final class Flag: @unchecked Sendable {
    private(set) var isRaised = false
    func raise() { isRaised = true }
  }
}
