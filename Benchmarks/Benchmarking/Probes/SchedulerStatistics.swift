#if canImport(Glibc)
  import Glibc
#endif

/// What the scheduler says of one thread, as Linux's procfs has it.
struct SchedulerStatistics: Equatable, Sendable {
  /// How long the thread was ready to run and had no core.
  var runQueueNanoseconds: Int

  /// Of a line with three numbers: on a core, ready to run, and how often it ran. A kernel that does not
  /// keep them writes three zeros: nil.
  init?(inStatistics line: String) {
    let fields = line.split(whereSeparator: \.isWhitespace)
    let numbers = fields.compactMap { Int($0) }
    guard fields.count == 3, numbers.count == 3, numbers.contains(where: { $0 > 0 }) else {
      return nil
    }
    runQueueNanoseconds = numbers[1]
  }

  /// nil where the system does not say.
  static var ofThisThread: SchedulerStatistics? {
    #if canImport(Glibc)
      let file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      // Three numbers of at most twenty digits.
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
      guard count > 0 else { return nil }
      return SchedulerStatistics(inStatistics: String(decoding: bytes[..<count], as: UTF8.self))
    #else
      return nil
    #endif
  }
}
