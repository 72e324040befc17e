import ArgumentParser
import Benchmarking
import Foundation
import TerminalIO

/// The processes that share the trials of a run.
///
/// One trial runs at a time, while the other processes wait. Each process lives from its first
/// trial to its last. If a process ends earlier, its trial fails, and its next trial gets a new
/// process with the same number.
package final class SessionProcesses {
  private let program: String
  private var processes: [Int: TrialProcess] = [:]
  private var trialsLeft: [Int: Int] = [:]

  /// Starts the first process, so that a failure to start appears before the first trial.
  package init(
    for trials: [TrialSpecification], program: String = TrialProcess.thisProgram
  ) throws(CommandError) {
    self.program = program
    expect(trials)
    // Writing to a process that has ended must not end this one; the missing answer shows the
    // failure.
    signal(SIGPIPE, SIG_IGN)
    if let first = trials.first { _ = try process(first.session) }
  }

  /// Keeps the processes of further trials alive until their last one.
  package func expect(_ trials: [TrialSpecification]) {
    for trial in trials { trialsLeft[trial.session, default: 0] += 1 }
  }

  /// Runs the trial in its process and waits for the result.
  package func run(_ trial: TrialSpecification) throws(TrialFailure) -> TrialResult {
    func failure(_ reason: String) -> TrialFailure {
      TrialFailure(specification: trial, reason: reason)
    }
    defer { finish(trial) }
    let process: TrialProcess
    do { process = try self.process(trial.session) } catch { throw failure(error.description) }
    guard let line = process.answer(to: TrialLine.text(trial)) else {
      processes[trial.session] = nil
      throw failure(process.ending())
    }
    switch TrialLine.value(TrialAnswer.self, in: line) {
    case .result(let result): return result
    case .failure(let reason): throw failure(reason)
    case nil: throw failure("its process answered \(line.quotedOnOneLine)")
    }
  }

  private func process(_ session: Int) throws(CommandError) -> TrialProcess {
    if let process = processes[session] { return process }
    let process = try TrialProcess(program, ["session"])
    processes[session] = process
    return process
  }

  /// Ends the process after its last trial.
  private func finish(_ trial: TrialSpecification) {
    trialsLeft[trial.session, default: 1] -= 1
    if trialsLeft[trial.session, default: 0] <= 0 { processes[trial.session] = nil }
  }
}

/// A process that answers each line with a line; it ends when this object is deallocated.
///
/// It does not use `Foundation.Process`, whose threads would still exist during the trials.
package final class TrialProcess {
  private let identifier: pid_t
  private let orders: Int32
  private var answers: LineReader
  private let answersEnd: Int32
  /// The description of the process's end, once it has been awaited; after that, the system may
  /// reuse the identifier.
  private var ended: String?

  /// The path of this program, valid even if its file has been replaced since the start.
  package static var thisProgram: String {
    #if os(Linux)
      "/proc/self/exe"
    #else
      Bundle.main.executablePath ?? CommandLine.arguments[0]
    #endif
  }

  /// Starts the program, which inherits standard error.
  package init(_ program: String, _ arguments: [String]) throws(CommandError) {
    let (input, output) = (try Self.pipe(), try Self.pipe())
    let identifier = Self.spawn(program, arguments, reading: input.read, writing: output.write)
    let code = errno
    close(input.read)
    close(output.write)
    guard let identifier else {
      close(input.write)
      close(output.read)
      throw .failed(
        "a process for trials cannot be started: \(program): \(String(cString: strerror(code)))")
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

  /// Waits for the end of a process that no longer answers, and returns a description of its end.
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
    // The process ends at the end of its standard input.
    close(orders)
    close(answersEnd)
    _ = ending()
  }

  /// Creates a pipe whose ends no other process inherits.
  ///
  /// If another process had the write end, the reader would never see the end of the input.
  private static func pipe() throws(CommandError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else {
      throw .failed(
        "a pipe to a process for trials cannot be created: \(String(cString: strerror(errno)))")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Starts the program and returns its identifier; returns `nil` and sets `errno` on failure.
  private static func spawn(
    _ program: String, _ arguments: [String], reading input: Int32, writing output: Int32
  ) -> pid_t? {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      let environ = _NSGetEnviron().pointee
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

/// A reader that returns each line of a file descriptor as soon as it is complete.
package struct LineReader {
  private let descriptor: Int32
  private var bytes: [UInt8] = []

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Waits for a whole line and returns it without its end, or `nil` at the end of the input.
  package mutating func next() -> String? {
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: bytes[..<end], as: UTF8.self)
        bytes.removeSubrange(...end)
        return line
      }
      guard readMore() else { return nil }
    }
  }

  /// Reads more bytes; returns `false` at the end of the input.
  private mutating func readMore() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      bytes += chunk[..<count]
      return true
    }
  }
}

/// The answer of a forked process to a trial.
package enum TrialAnswer: Codable, Hashable {
  /// The trial's result.
  case result(TrialResult)
  /// The reason of the failure.
  case failure(String)
}

/// The format of trials and answers between processes: one line of JSON each.
package enum TrialLine {
  /// Returns `value` as a line, without its end.
  package static func text(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    // The journal refuses values that are not finite, and its message has the name of the column.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let data = try? encoder.encode(value) else {
      fatalError("a \(type(of: value)) cannot be encoded as JSON; report this as a bug")
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// Decodes a line that `text` returned; returns `nil` for any other line.
  package static func value<Value: Decodable>(_ type: Value.Type, in line: String) -> Value? {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try? decoder.decode(type, from: Data(line.utf8))
  }
}

/// One of the processes of `run --sessions`: runs the trials that it reads from standard input.
///
/// It ends at the end of standard input, even in the middle of a trial. No child process therefore
/// outlives its parent.
package struct SessionCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "session", abstract: "Run the trials that `run --sessions` sends.",
    shouldDisplay: false)

  package init() {}

  package func run() async throws {
    // A terminal and a supervisor send these signals to this process too, but the parent handles
    // them.
    for number in [SIGINT, SIGTERM] { signal(number, SIG_IGN) }
    for await line in Self.orders() {
      guard let trial = TrialLine.value(TrialSpecification.self, in: line) else {
        throw CommandError.usage(
          "\(line.quotedOnOneLine) is not a trial (allowed: the lines that `run --sessions` sends)")
      }
      let answer = TrialLine.text(await Self.answer(to: trial))
      try OutputFile(opening: .standardOutput).write(answer + "\n")
    }
  }

  private static func answer(to trial: TrialSpecification) async -> TrialAnswer {
    do {
      return .result(try await trial.run())
    } catch {
      return .failure(error.reason)
    }
  }

  /// Reads lines on a separate thread, so that the process sees the end of the input at any time.
  private static func orders() -> AsyncStream<String> {
    let (orders, order) = AsyncStream.makeStream(of: String.self)
    Thread.detachNewThread {
      var reader = LineReader(STDIN_FILENO)
      while let line = reader.next() { order.yield(line) }
      // Not `exit`: other threads may be in the middle of a trial.
      _exit(ExitStatus.fine.rawValue)
    }
    return orders
  }
}
