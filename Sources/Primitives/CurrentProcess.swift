import CShims

/// This process, which may be the child of a fork.
public enum CurrentProcess {
  /// A number that differs between a process and the one that forked it.
  ///
  /// Of the threads of the parent only the one that forked exists in the child. Counting begins with the
  /// first call of `afterFork(_:)`.
  public static var forkCount: UInt64 { cws_fork_count() }

  /// Registers `handler`, which is called in every child process, on its only thread.
  ///
  /// The process has one handler, which is `EpochReclamation`'s.
  public static func afterFork(_ handler: @convention(c) () -> Void) {
    cws_after_fork(handler)
  }
}

/// Writes `line` and a newline to standard error.
public func printError(_ line: String) {
  cws_print_error(line)
}

/// The sanitizers that this process runs under.
public enum Sanitizer {
  public static var isThreadSanitizer: Bool { cws_under_tsan() }
  public static var isAddressSanitizer: Bool { cws_under_asan() }

  /// Whether LeakSanitizer can search for memory that no pointer leads to.
  public static var detectsLeaks: Bool {
    @inline(__always) get { cws_detects_leaks() }
  }

  /// Short names of those that are present.
  public static var names: [String] {
    (isThreadSanitizer ? ["tsan"] : []) + (isAddressSanitizer ? ["asan"] : [])
  }
}

/// A pair of barriers: the frequent one costs nothing, and the rare one pays for both.
///
/// Of a `light()` on one thread and a `heavy()` on another, one comes first. What precedes it in its
/// thread is then visible to what follows the other. Two light barriers order nothing.
public enum AsymmetricBarrier {
  /// Whether `heavy()` works here. False under ThreadSanitizer, which does not model it.
  public static let isSupported = !Sanitizer.isThreadSanitizer && cws_process_barrier_prepare()

  /// Keeps the compiler from moving accesses across; the processor may, until a `heavy()` comes.
  @inline(__always)
  public static func light() {
    cws_compiler_barrier()
  }

  /// Executes a full barrier on every thread of the process.
  ///
  /// Costs a system call and an interrupt on each core that runs one of our threads: microseconds.
  ///
  /// - Returns: false if the system refused; then nothing is ordered.
  public static func heavy(
    file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
  ) -> Bool {
    ManagedScheduler.ask {
      $0.pointee.barrier(cws_site(file, function, line))
      return true
    } ?? cws_process_barrier()
  }
}

/// Words that no other process can predict, at the cost of a few instructions each.
///
/// Constant under a managed scheduler, so that a schedule can be repeated.
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
