import EpochReclamation

/// Reclaims what is in limbo, as far as it goes.
struct Settling: Sendable {
  private let rounds: [CountedRendezvous]

  /// One is enough where nothing that is reclaimed retires anything.
  private static let mostRounds = 8

  init(workers: Int) {
    rounds = (0..<Self.mostRounds).map { _ in CountedRendezvous(count: workers) }
  }

  /// Ends when no more than `backlog` entries are in limbo, or it has tried often enough; for each worker to
  /// call: what is in the bag of a thread that runs, that thread alone can seal.
  func settle(to backlog: Int) {
    for round in rounds {
      EpochDomain.shared.advance()
      round.arrive()
      if round.isSettled(to: backlog) { return }
    }
  }

  /// How many entries it left in limbo: those in the bags of idle threads of a pool, or behind a pin.
  var rest: Int { rounds.last { $0.backlog != nil }?.backlog ?? 0 }

  /// What was counted when no more than `backlog` entries were in limbo; nil if that was not reached, or not
  /// tried.
  func bytes(settledTo backlog: Int) -> AllocatedBytes? {
    rounds.first { $0.isSettled(to: backlog) }?.bytes
  }
}

extension CountedRendezvous {
  fileprivate func isSettled(to backlog: Int) -> Bool {
    self.backlog.map { $0 <= backlog } ?? false
  }
}
