import ArgumentParser
import Benchmarking
import Foundation
import TerminalIO

/// The processes that the trials of a run are spread over. One trial is made at a time; the others wait.
///
/// Each lives from its first trial to its last. One that ends before is a failed trial, and its next
/// trial gets another process under the same number.
package final class Forks {
  private let program: String
  private var processes: [Int: ForkedProcess] = [:]
  private var trialsLeft: [Int: Int]

  /// Starts the first, so that a system that starts none is noticed before anything is measured.
  package init(
    for trials: [TrialSpecification], program: String = ForkedProcess.thisProgram
  ) throws(CommandError) {
    self.program = program
    trialsLeft = Dictionary(grouping: trials, by: \.fork).mapValues(\.count)
    // A process that has ended is noticed by the answer that does not come.
    signal(SIGPIPE, SIG_IGN)
    if let first = trials.first { _ = try process(first.fork) }
  }

  /// Has the trial made by its process, and waits for that.
  package func run(_ trial: TrialSpecification) throws(TrialFailure) -> TrialResult {
    func failure(_ reason: String) -> TrialFailure {
      TrialFailure(specification: trial, reason: reason)
    }
    let process: ForkedProcess
    do { process = try self.process(trial.fork) } catch { throw failure(error.description) }
    guard let line = process.answer(to: ForkLine.text(trial)) else {
      processes[trial.fork] = nil
      throw failure(process.ending())
    }
    finish(trial)
    switch ForkLine.value(ForkAnswer.self, in: line) {
    case .result(let result): return result
    case .failure(let reason): throw failure(reason)
    case nil: throw failure("its process answered \(line.quotedOnOneLine)")
    }
  }

  private func process(_ fork: Int) throws(CommandError) -> ForkedProcess {
    if let process = processes[fork] { return process }
    let process = try ForkedProcess(program, ["fork"])
    processes[fork] = process
    return process
  }

  /// Ends the process after its last trial.
  private func finish(_ trial: TrialSpecification) {
    trialsLeft[trial.fork, default: 1] -= 1
    if trialsLeft[trial.fork, default: 0] <= 0 { processes[trial.fork] = nil }
  }
}

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

/// The lines of a descriptor, one by one, each as soon as it is there.
package struct LineReader {
  private let descriptor: Int32
  private var bytes: [UInt8] = []

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Waits for a whole line and returns it without its end; `nil` once there will be no more.
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

  /// False at the end.
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

/// What a forked process answers when it is given a trial: its result, or what was wrong.
package enum ForkAnswer: Codable, Hashable {
  case result(TrialResult)
  case failure(String)
}

/// Trials and answers as they go between processes: JSON, a line each.
package enum ForkLine {
  /// Without a line end.
  package static func text(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    // What makes no sense is for the journal to refuse, which names the column.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let data = try? encoder.encode(value) else { preconditionFailure("plain values") }
    return String(decoding: data, as: UTF8.self)
  }

  /// `nil` for anything else than what `text` gives.
  package static func value<Value: Decodable>(_ type: Value.Type, in line: String) -> Value? {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try? decoder.decode(type, from: Data(line.utf8))
  }
}

/// One of the processes of `run --forks`: makes the trials that standard input names, one after the other.
///
/// It ends when standard input does, in the middle of a trial too: so no child outlives its parent,
/// whatever ended that.
package struct ForkCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "fork", abstract: "Make the trials that run --forks sends.", shouldDisplay: false)

  package init() {}

  package func run() async throws {
    // A terminal and a supervisor send them to this process too, but the parent decides what becomes of
    // the run.
    for number in [SIGINT, SIGTERM] { signal(number, SIG_IGN) }
    for await line in Self.orders() {
      guard let trial = ForkLine.value(TrialSpecification.self, in: line) else {
        throw CommandError.usage("fork reads no such trial (allowed: what run --forks sends)")
      }
      let answer = ForkLine.text(await Self.answer(to: trial))
      try OutputFile(opening: .standardOutput).write(answer + "\n")
    }
  }

  private static func answer(to trial: TrialSpecification) async -> ForkAnswer {
    do {
      return .result(try await trial.run())
    } catch {
      return .failure(error.reason)
    }
  }

  /// Read by a thread that does nothing else, so that the end is noticed at any time.
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
