import CShims

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
