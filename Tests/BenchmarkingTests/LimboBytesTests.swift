import EpochReclamation
import Measurements
import Testing
import Threading
import WeakCollections
import Workloads

@testable import Benchmarking

/// What operations leave in limbo, each in a process of its own: its bytes and the epochs are the
/// process's.
@Suite(.serialized, .enabled(if: AllocatorProbe.isAvailable, "needs the trait Jemalloc"))
struct LimboBytesTests {
  @Test func `what was retired last is in limbo, on whichever thread`() async {
    await #expect(processExitsWith: .success) {
      // Fewer than make a thread try to advance.
      let limbo = await limboBytes(of: { Retiring($0) }, operations: [40, 20])
      #expect(limbo == 60 * 112, "\(limbo ?? -1) bytes are not those of 60 blocks")
    }
  }

  @Test func `what threads keep for themselves is neither in limbo nor an operation's`() async {
    await #expect(processExitsWith: .success) {
      let lockFree = Contestant.named("lock-free", for: .weakArray)!
      for operations in [[200], Array(repeating: 200, count: 8)] {
        let bytes = await bytes(
          of: { WeakArraySubject(of: LockFreeWeakArray<Member>.self, $0) }, operations: operations,
          contestant: lockFree
        )?.bytes
        #expect(bytes?.allocatedPerOperation == 0, "for \(operations.count) workers")
        #expect(bytes?.limbo == 0, "for \(operations.count) workers")
        // Slots of 8 bytes for 64 entries, and what an array has once.
        #expect(bytes?.livePerEntry.map { $0 < 16 } == true, "\(bytes?.livePerEntry ?? -1)")
      }
    }
  }

  /// One worker: two would delay each other's reclamation whenever the system stops one in a pin.
  @Test func `what was reclaimed by the way is not`() async {
    await #expect(processExitsWith: .success) {
      let limbo = await limboBytes(of: { Retiring($0) }, operations: [40_000])
      #expect(limbo.map { $0 > 0 && $0 < 4000 * 112 } == true, "\(limbo ?? -1) bytes")
    }
  }

  @Test func `what idle threads of others hold is not the operations'`() async {
    await #expect(processExitsWith: .success) {
      let meetings = [Rendezvous(count: 2), Rendezvous(count: 2)]
      let thread = OwnedThread {
        Retiring.retire()
        for meeting in meetings { meeting.arrive() }
      }
      meetings[0].arrive()
      let limbo = await limboBytes(of: { Retiring($0) }, operations: [40, 20])
      #expect(limbo == 60 * 112, "\(limbo ?? -1) bytes are not those of 60 blocks")
      meetings[1].arrive()
      thread.join()
    }
  }

  @Test func `what can never be reclaimed is not known`() async {
    await #expect(processExitsWith: .success) {
      let meetings = [Rendezvous(count: 2), Rendezvous(count: 2)]
      let thread = OwnedThread {
        EpochDomain.shared.pin { for meeting in meetings { meeting.arrive() } }
      }
      meetings[0].arrive()
      let limbo = await limboBytes(of: { Retiring($0) }, operations: [40, 20])
      #expect(limbo == nil, "while a thread is pinned not all is reclaimed")
      meetings[1].arrive()
      thread.join()
    }
  }

  @Test func `what holds nothing has 0, and what retires nothing has none`() async {
    await #expect(processExitsWith: .success) {
      let lockFree = Contestant.named("lock-free", for: .dictionary)!
      let still = try await TrialSpecification.example(lockFree, "read-only").run()
      #expect(still.bytes.limbo == 0, "\(still.bytes.limbo ?? -1) bytes")
      let mutex = Contestant.named("mutex", for: .dictionary)!
      let none = try await TrialSpecification.example(mutex, "exchange").run()
      #expect(none.bytes.limbo == nil, "\(none.bytes.limbo ?? -1) bytes")
    }
  }
}

private func limboBytes(
  of makeSubject: @escaping SubjectFactory, operations: [Int]
) async -> Int? {
  let lockFree = Contestant.named("lock-free", for: .dictionary)!
  return await bytes(of: makeSubject, operations: operations, contestant: lockFree)?.bytes.limbo
}
