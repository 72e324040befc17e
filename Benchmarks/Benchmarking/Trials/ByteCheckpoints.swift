/// Where the workers of a byte phase meet, so that the process is counted while all stand still.
struct ByteCheckpoints: Sendable {
  /// Before the first operation, so that nothing older is reclaimed after the last.
  let clearing: Settling
  let start: CountedRendezvous
  let end: CountedRendezvous
  private let settling: Settling

  /// Made before anything is counted.
  init(workers: Int) {
    clearing = Settling(workers: workers)
    start = CountedRendezvous(count: workers)
    end = CountedRendezvous(count: workers)
    settling = Settling(workers: workers)
  }

  /// Reclaims what operations left in limbo, after the last; for each worker to call.
  func settle() { settling.settle(to: clearing.rest) }

  /// What was counted then; nil if not all that they left could be reclaimed.
  var settled: AllocatedBytes? { settling.bytes(settledTo: clearing.rest) }
}
