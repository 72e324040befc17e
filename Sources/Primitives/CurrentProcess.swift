import CShims

/// The current process, which may be the child of a fork.
public enum CurrentProcess {
  /// A number that differs between a process and its parent.
  ///
  /// The child has only one thread: the one that forked. Counting starts with the first call of
  /// `afterFork(_:)`.
  public static var forkCount: UInt64 { cws_fork_count() }

  /// Registers a handler that runs in every child process, on its only thread.
  ///
  /// A process has one handler, and `EpochReclamation` registers it.
  ///
  /// - Parameter handler: The function to call. Every call must pass the same one.
  public static func afterFork(_ handler: @convention(c) () -> Void) {
    cws_after_fork(handler)
  }
}

/// Writes `line` and a newline to standard error.
public func printError(_ line: String) {
  cws_print_error(line)
}

/// The sanitizers of the current process.
public enum Sanitizer {
  /// Whether the process runs under ThreadSanitizer.
  public static var isThreadSanitizer: Bool { cws_under_tsan() }
  /// Whether the process runs under AddressSanitizer.
  public static var isAddressSanitizer: Bool { cws_under_asan() }

  /// Whether LeakSanitizer can search for unreachable memory.
  public static var detectsLeaks: Bool {
    @inline(__always) get { cws_detects_leaks() }
  }

  /// The short names of the active sanitizers: "tsan", "asan".
  public static var names: [String] {
    (isThreadSanitizer ? ["tsan"] : []) + (isAddressSanitizer ? ["asan"] : [])
  }
}

/// A pair of barriers, where the frequent one is free and the rare one pays for both.
///
/// If one thread executes `light()` and another thread executes `heavy()`, one of the calls comes
/// first. Everything before that call in its thread is visible to everything after the other call.
/// Two light barriers order nothing.
public enum AsymmetricBarrier {
  /// Whether `heavy()` works here. False under ThreadSanitizer, which does not model it.
  public static let isSupported = !Sanitizer.isThreadSanitizer && cws_process_barrier_prepare()

  /// Prevents the compiler from moving memory accesses across the call. The processor may still
  /// reorder them, until another thread executes `heavy()`.
  @inline(__always)
  public static func light() {
    cws_compiler_barrier()
  }

  /// Executes a full barrier on every thread of the process.
  ///
  /// Costs a system call, and an interrupt on each core that runs a thread of the process.
  ///
  /// - Returns: False if the system refused; then the call orders nothing.
  public static func heavy(
    file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
  ) -> Bool {
    ManagedScheduler.ask {
      $0.pointee.barrier(cws_site(file, function, line))
      return true
    } ?? cws_process_barrier()
  }
}

/// A generator of words that other processes cannot predict.
///
/// Constant under a managed scheduler, so that a schedule can be repeated.
public enum Secret {
  private static let seed: UInt64 = {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }()
  private static let count = Atomic<UInt64>(0)

  /// Returns the next word. Any number of threads may call it concurrently; a call costs a few
  /// instructions.
  public static func next() -> UInt {
    let golden: UInt64 = 0x9e37_79b9_7f4a_7c15
    if let fixed = ManagedScheduler.ask({ _ in golden }) { return UInt(truncatingIfNeeded: fixed) }
    // Relaxed: a counter through which nothing else is read.
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
