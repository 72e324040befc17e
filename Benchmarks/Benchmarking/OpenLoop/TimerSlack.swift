import Primitives

#if canImport(Glibc)
  import Glibc
#endif

/// How much later than asked for Linux may wake a sleeper, to wake several at once: 50 µs unless told otherwise.
enum TimerSlack {
  /// Asks for none, for the calling thread. Where that is not allowed its sleeps stay as they are.
  static func giveUp() {
    #if canImport(Glibc)
      let file = open("/proc/\(CurrentThread.number)/timerslack_ns", O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { return }
      // 0 would be the default.
      _ = write(file, "1", 1)
      close(file)
    #endif
  }
}
