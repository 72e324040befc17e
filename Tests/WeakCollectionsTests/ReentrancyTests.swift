import EpochReclamation
import SeededTesting
import Testing
import Threading
import WeakCollections

/// Re-entrant `deinit`s where the lock-free dictionary reclaims as early as it can. The contracts
/// check every backend with the shared domain.
@Suite(.timeLimit(.minutes(10))) struct ReentrancyTests {
  @Test func `values die outside claims when updates and replacements contend`() async {
    let ends = Counter()
    let created = Counter()
    await onOwnThread {
      let domain = EpochDomain(bagCapacity: 1)
      let dictionary = LockFreeDictionary<Int, Dying>(domain: domain)
      @Sendable func make() -> Dying {
        created.add()
        return Dying {
          // Writing inside a claim traps.
          dictionary.setValue(Dying {}, forKey: 1)
          ends.add()
        }
      }
      let operations = TestOptions.operations(full: 20_000)
      let threads = (0..<4).map { thread in
        OwnedThread {
          for _ in 0..<operations {
            if thread < 2 {
              dictionary.update(0) { $0 = make() }
            } else {
              dictionary.setValue(make(), forKey: 0)
            }
          }
        }
      }
      for thread in threads { thread.join() }
      dictionary.removeAll()
      // What is retired refers to the dictionary, and so to the domain: it must be reclaimed while
      // somebody uses that.
      while domain.telemetry.backlog > 0 { domain.advance() }
    }
    #expect(ends.total == created.total)
  }
}
