#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

import Synchronization

/// Where the moments of calls and returns come from.
///
/// Of two operations, one came before the other only if its return has a *smaller* stamp than the
/// other's call. Equal stamps order nothing.
package struct StampSource: Sendable {
  private let read: @Sendable () -> UInt64

  /// The caller's own count, such as a managed scheduler's steps.
  package init(_ read: @escaping @Sendable () -> UInt64) { self.read = read }

  package func now() -> UInt64 { read() }

  /// Each thread reads the clock for itself: no line of memory is shared, so recording orders nothing
  /// between the threads that is not ordered anyway. The standard on real threads.
  ///
  /// Sequentially consistent fences on both sides: what the thread wrote is visible before the clock is
  /// read on return, and nothing is read before the clock is on call. Without them a store that is still
  /// in the core's buffer looks like one that others miss.
  package static let clock = StampSource {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// A number drawn from one counter: no two are equal, but every drawing synchronizes all threads, which
  /// hides bugs. For machines whose clocks disagree between cores.
  package static func ticket() -> StampSource {
    let counter = TicketCounter()
    return StampSource { counter.next() }
  }
}

private final class TicketCounter: Sendable {
  private let value = Atomic<UInt64>(0)

  // Sequentially consistent: the order of tickets is the order of calls and returns.
  func next() -> UInt64 { value.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue }
}
