import SeededRandom
import Workloads

extension SplitMix64 {
  /// One that nobody can repeat. Not the system's generator itself: ThreadSanitizer crashes on a change of a value
  /// without size.
  package static func drawn() -> SplitMix64 { SplitMix64(seed: UInt64.random(in: .min ... .max)) }
}

extension Seed {
  /// One that nobody chose.
  package static func drawn() -> Seed {
    var generator = SplitMix64.drawn()
    return .random(using: &generator)
  }
}
