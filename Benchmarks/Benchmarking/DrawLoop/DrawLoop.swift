import CPeers
import Primitives
import Threading
import WeakCollections

/// The loop that draws its keys and operations while it is timed, the same in Swift, C++
/// (`Map.hpp`) and Java (`Loop.java`).
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
    // Variables of their own, so that they can stay in registers; a copy of `state` would not.
    let (mask, replacePercent) = (state.key_mask, state.replace_percent)
    var (draw, operations, sum, misses) = (state.draw, state.operations, state.sum, state.misses)
    repeat {
      for _ in 0..<CP_CHUNK {
        draw ^= draw << 13
        draw ^= draw >> 7
        draw ^= draw << 17
        let key = Int(truncatingIfNeeded: draw & mask)
        if ((draw >> 32) &* 100) >> 32 < replacePercent {
          await dictionary.setValue(Int(truncatingIfNeeded: draw), forKey: key)
        } else if let value = await dictionary.value(forKey: key) {
          sum &+= UInt64(bitPattern: Int64(value))
        } else {
          misses &+= 1
        }
      }
      operations &+= Int64(CP_CHUNK)
    } while operations < state.operation_limit && !stop.isUp
    (state.draw, state.operations, state.sum, state.misses) = (draw, operations, sum, misses)
  }

  /// Runs the loop with reads only, in batches of `batch` keys, a divisor of `CP_CHUNK`.
  @inline(never)
  static func runBatches<D: ConcurrentDictionary & Sendable>(
    of batch: Int, on dictionary: D, _ state: inout cp_draws, until stop: StopSign
  ) async where D.Key == Int, D.Value == Int {
    let mask = state.key_mask
    var (draw, operations, sum, misses) = (state.draw, state.operations, state.sum, state.misses)
    var keys = [Int](repeating: 0, count: batch)
    repeat {
      for _ in 0..<Int(CP_CHUNK) / batch {
        for index in keys.indices {
          draw ^= draw << 13
          draw ^= draw >> 7
          draw ^= draw << 17
          keys[index] = Int(truncatingIfNeeded: draw & mask)
        }
        for value in await dictionary.values(forKeys: keys) {
          if let value { sum &+= UInt64(bitPattern: Int64(value)) } else { misses &+= 1 }
        }
      }
      operations &+= Int64(CP_CHUNK)
    } while operations < state.operation_limit && !stop.isUp
    (state.draw, state.operations, state.sum, state.misses) = (draw, operations, sum, misses)
  }
}
