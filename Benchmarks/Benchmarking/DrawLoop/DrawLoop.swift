import CPeers
import Primitives
import Threading
import WeakCollections

/// The loop that draws its keys and operations while it is timed, the same in Swift, C++ (`Map.hpp`)
/// and Java (`Loop.java`).
///
/// A draw is a number of Marsaglia's generator xorshift64 ("Xorshift RNGs", 2003). Its lower bits
/// are the key, and its upper half decides between a read and a replace. The draw is also the new
/// value, so the lower bits of a value are always its key.
enum DrawLoop {
  /// Runs the loop until `stop` is set or the limit of `state` is reached.
  ///
  /// Specialized for each dictionary. With one that never suspends, the loop never suspends.
  @inline(never)
  static func run<D: ConcurrentDictionary & Sendable>(
    on dictionary: D, _ state: inout cp_draws, until stop: StopSign
  ) async where D.Key == Int, D.Value == Int {
    // A local copy, so that it can stay in registers.
    var draws = state
    repeat {
      for _ in 0..<CP_CHUNK {
        draws.draw ^= draws.draw << 13
        draws.draw ^= draws.draw >> 7
        draws.draw ^= draws.draw << 17
        let key = Int(truncatingIfNeeded: draws.draw & draws.key_mask)
        if ((draws.draw >> 32) &* 100) >> 32 < draws.replace_percent {
          await dictionary.setValue(Int(truncatingIfNeeded: draws.draw), forKey: key)
        } else if let value = await dictionary.value(forKey: key) {
          draws.sum &+= UInt64(bitPattern: Int64(value))
        } else {
          draws.misses &+= 1
        }
      }
      draws.operations &+= Int64(CP_CHUNK)
    } while draws.operations < draws.operation_limit && !stop.isUp
    state = draws
  }
}
