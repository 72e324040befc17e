import EpochReclamation
import Primitives
import SeededRandom
import Threading
import WeakCollections

/// Runs a scenario many times on threads of the operating system, or for a subject that suspends in tasks
/// of which each has such a thread.
///
/// Each round has a collection and objects of its own, made beforehand; the threads meet at a start line
/// and then wait for a random moment, so that each round is another overlap.
package struct ThreadDriver: Sendable {
  package var rounds: Int
  /// Of the domain in which a round's memory is reclaimed: few make much reclaiming.
  package var bagCapacity = 2
  package var seed: UInt64
  /// Whether stamps are tickets from one counter; see `StampSource`.
  package var usesTickets = false
  /// What a hang is.
  package var timeLimit: Duration = .seconds(20)

  package init(rounds: Int, seed: UInt64) {
    self.rounds = rounds
    self.seed = seed
  }

  /// What came of each round; nil if not all threads ended in time. Those are left to themselves.
  package func run(_ scenario: Scenario, on subject: Subject) async -> [Recording]? {
    let domain = EpochDomain(bagCapacity: bagCapacity, reportStall: { _ in })
    let stamps = usesTickets ? StampSource.ticket() : .clock
    let rounds = (0..<rounds).map { _ in
      Round(scenario, of: subject, domain: domain, stamps: stamps)
    }
    return await withDeadline(timeLimit) { [self] in
      await subject.isSynchronous ? onThreads(rounds, scenario) : inTasks(rounds, scenario)
    }
  }

  private func onThreads(_ rounds: [Round], _ scenario: Scenario) async -> [Recording] {
    let first = scenario.threads.indices.filter { scenario.threads[$0].birth == nil }
    let line = StartLine(threadCount: first.count)
    _ = await onOwnThreads(first.count) { index in
      var delays = delays(of: index)
      for round in rounds {
        let target = round.target as! any SynchronousTarget
        line.arrive()
        Self.wait(delays.number(below: Self.longestDelay))
        Self.run(first[index], of: round, on: target)
      }
    }
    return await onOwnThread {
      rounds.map { $0.end(on: $0.target as! any SynchronousTarget) }
    }
  }

  /// The thread itself and, joined at its end, the threads born of it.
  private static func run(_ thread: Int, of round: Round, on target: any SynchronousTarget) {
    var children: [OwnedThread] = []
    round.run(thread, on: target) { child in
      children.append(OwnedThread { run(child, of: round, on: target) })
    }
    for child in children { child.join() }
  }

  private func inTasks(_ rounds: [Round], _ scenario: Scenario) async -> [Recording] {
    let line = StartLine(threadCount: scenario.threads.count)
    _ = await inOwnThreadTasks(scenario.threads.count) { index in
      var delays = delays(of: index)
      for round in rounds {
        line.arrive()
        Self.wait(delays.number(below: Self.longestDelay))
        await round.run(index)
      }
    }
    var recordings: [Recording] = []
    for round in rounds { recordings.append(await round.end()) }
    return recordings
  }

  private static let longestDelay = 256

  private func delays(of thread: Int) -> SplitMix64 {
    SplitMix64(seed: seed ^ UInt64(thread) &* 0x9E37_79B9_7F4A_7C15)
  }

  private static func wait(_ hints: Int) {
    for _ in 0..<hints { spinHint() }
  }
}
