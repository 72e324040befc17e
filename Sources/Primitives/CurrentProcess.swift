import CShims

/// This process, as far as it may be the copy of another.
public enum CurrentProcess {
  /// Differs from what it was in the process that forked this one; of the other threads there, none is here.
  ///
  /// Counts from the first call of `afterFork(_:)` on.
  public static var forkCount: UInt64 { cws_fork_count() }

  /// Has `handler` called in every child process, on the one thread that it has.
  ///
  /// There is one handler: `EpochReclamation`'s.
  public static func afterFork(_ handler: @convention(c) () -> Void) {
    cws_after_fork(handler)
  }
}

/// A pair of barriers of which the frequent one costs nothing and the rare one pays for both.
///
/// Of a `light()` on one thread and a `heavy()` on another, one comes first: what precedes it in its
/// thread is then visible to what follows the other. Two light barriers order nothing.
public enum AsymmetricBarrier {
  /// Whether `heavy()` works here. Not under ThreadSanitizer, which does not know it.
  public static let isSupported = !Sanitizer.isThreadSanitizer && cws_process_barrier_prepare()

  /// Keeps the compiler from moving accesses across; the processor may, until a `heavy()` comes.
  @inline(__always)
  public static func light() {
    cws_compiler_barrier()
  }

  /// A full barrier on every thread of the process; false if the system refused, and nothing is ordered.
  ///
  /// Costs a system call and an interrupt on each core that runs one of our threads: microseconds.
  public static func heavy(
    file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
  ) -> Bool {
    ManagedScheduler.ask {
      $0.pointee.barrier(cws_site(file, function, line))
      return true
    } ?? cws_process_barrier()
  }
}

/// Words that nobody outside this process can predict, at the cost of a few instructions each.
///
/// Under a managed scheduler always the same, so that a schedule can be repeated.
public enum Secret {
  private static let seed: UInt64 = {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }()
  private static let count = Atomic<UInt64>(0)

  public static func next() -> UInt {
    let golden: UInt64 = 0x9e37_79b9_7f4a_7c15
    if let fixed = ManagedScheduler.ask({ _ in golden }) { return UInt(truncatingIfNeeded: fixed) }
    // Relaxed: a count, through which nothing else is read.
    let number = count.wrappingAdd(1, ordering: .relaxed).newValue
    return UInt(truncatingIfNeeded: mixed(seed &+ number &* golden))
  }

  /// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
  private static func mixed(_ word: UInt64) -> UInt64 {
    var word = word
    word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
    return word ^ word >> 31
  }
}

/// Writes `line` and its end to standard error.
public func printError(_ line: String) {
  cws_print_error(line)
}
