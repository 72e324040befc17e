import TerminalIO
import Foundation

/// A process of a program that answers lines with lines; it ends when this object goes.
///
/// Not `Foundation.Process`, whose threads would stay while trials are made.
package final class ForkedProcess {
  private let identifier: pid_t
  private let orders: Int32
  private var answers: LineReader
  private let answersEnd: Int32
  /// How it ended, once that is known: an identifier is another process's afterwards.
  private var ended: String?

  /// This program, even if the file it was started from has been replaced since.
  package static var thisProgram: String {
    #if os(Linux)
      "/proc/self/exe"
    #else
      Bundle.main.executablePath ?? CommandLine.arguments[0]
    #endif
  }

  /// Starts the program; standard error stays this process's.
  package init(_ program: String, _ arguments: [String]) throws(CommandError) {
    let (input, output) = (try Self.pipe(), try Self.pipe())
    let identifier = Self.spawn(program, arguments, reading: input.read, writing: output.write)
    let code = errno
    close(input.read)
    close(output.write)
    guard let identifier else {
      close(input.write)
      close(output.read)
      throw .failed("a process for trials cannot be started: \(String(cString: strerror(code)))")
    }
    self.identifier = identifier
    orders = input.write
    answersEnd = output.read
    answers = LineReader(output.read)
  }

  /// Sends the line and waits for the answer; `nil` if the process has ended instead.
  package func answer(to order: String) -> String? {
    var rest = Array((order + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(orders, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return nil }
      rest = rest.dropFirst(count)
    }
    return answers.next()
  }

  /// Waits until a process that no longer answers has ended, and says how.
  package func ending() -> String {
    if let ended { return ended }
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7F
    let text =
      signal == 0
      ? "its process ended with status \((status >> 8) & 0xFF)"
      : "its process ended by signal \(signal) (\(String(cString: strsignal(signal))))"
    ended = text
    return text
  }

  deinit {
    // The end of its standard input ends the process.
    close(orders)
    close(answersEnd)
    _ = ending()
  }

  /// Both ends stay out of every other process, or its end would never come.
  private static func pipe() throws(CommandError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else {
      throw .failed("there is no pipe for a process: \(String(cString: strerror(errno)))")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// `nil` with `errno` set if that fails.
  private static func spawn(
    _ program: String, _ arguments: [String], reading input: Int32, writing output: Int32
  ) -> pid_t? {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    var words = ([Console.programName] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var identifier: pid_t = 0
    errno = posix_spawn(&identifier, program, &actions, nil, &words, environ)
    return errno == 0 ? identifier : nil
  }
}
