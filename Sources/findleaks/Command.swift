import Foundation
import SanitizerReports

/// A program to run, with its arguments and environment.
struct Command {
  let program: URL
  let arguments: [String]
  var environment = ProcessInfo.processInfo.environment

  /// Runs the program with the input and output of this process.
  func run() throws -> (process: Int, end: RunEnd) {
    let process = process
    try process.run()
    return (Int(process.processIdentifier), end(of: process))
  }

  /// Runs the program. Each time its process stops, calls `body` with the identifier of the
  /// process, and then continues the process.
  func run(whenStopped body: (Int32) -> Void) throws -> RunEnd {
    let process = process
    try process.run()
    let number = process.processIdentifier
    while true {
      var information = siginfo_t()
      let options = WSTOPPED | WEXITED | WNOWAIT
      let failed = waitid(P_PID, id_t(number), &information, Int32(options)) != 0
      if failed && errno == EINTR { continue }
      guard !failed, Int(information.si_code) == Int(CLD_STOPPED) else { return end(of: process) }
      body(number)
      kill(number, SIGCONT)
    }
  }

  /// Runs the program, and passes its standard output and standard error to `output` as they
  /// arrive.
  func run(output: (Data) -> Void) throws -> RunEnd {
    let process = process
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let reading = pipe.fileHandleForReading
    while true {
      // The end of the output does not suffice as a condition: a child that outlives the process
      // may keep the output open. So this also ends with the process.
      if Self.isReadable(reading, forMilliseconds: 100) {
        let data = reading.availableData
        guard !data.isEmpty else { return end(of: process) }
        output(data)
      }
      guard let end = end(of: process, options: WNOHANG) else { continue }
      var left = Self.largestPipe
      while left > 0, Self.isReadable(reading, forMilliseconds: 0) {
        let data = reading.availableData
        guard !data.isEmpty else { break }
        output(data)
        left -= data.count
      }
      return end
    }
  }

  /// Runs the program with a file as its standard input; returns its standard output.
  func output(input: URL? = nil) throws -> (end: RunEnd, text: String) {
    let process = process
    let pipe = Pipe()
    process.standardOutput = pipe
    if let input { process.standardInput = try FileHandle(forReadingFrom: input) }
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    return (end(of: process), String(decoding: data, as: UTF8.self))
  }

  private var process: Process {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = environment
    return process
  }

  /// Waits for the end of a process. Does not use Foundation's wait, which would also wait for the
  /// children of the process; these may run indefinitely.
  private func end(of process: Process) -> RunEnd {
    while true { if let end = end(of: process, options: 0) { return end } }
  }

  /// Returns the end of a process; nil if it is still running.
  private func end(of process: Process, options: Int32) -> RunEnd? {
    var status: Int32 = 0
    let ended = waitpid(process.processIdentifier, &status, options)
    if ended == process.processIdentifier {
      let signal = status & 0x7f
      return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }
    guard ended == -1, errno != EINTR else { return nil }
    // Foundation has already waited for it.
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal
      ? .signalled(process.terminationStatus) : .exited(process.terminationStatus)
  }

  /// The maximum capacity of a pipe of an unprivileged process on Linux, in bytes.
  private static let largestPipe = 1 << 20

  /// Returns whether a read would not block: there are bytes, or the file has ended.
  private static func isReadable(_ file: FileHandle, forMilliseconds time: Int32) -> Bool {
    var request = pollfd(fd: file.fileDescriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, time) > 0
  }
}

/// A Swift toolchain: the driver and the tools in the same folder.
struct Toolchain {
  let swift: URL

  /// Creates a toolchain.
  ///
  /// - Parameter swift: The path of the driver; nil for the first one in `PATH`.
  init(swift: String?) throws(LeakRunError) {
    if let swift {
      self.swift = URL(filePath: swift)
      return
    }
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let candidates = folders.split(separator: ":").map { "\($0)/swift" }
    guard let path = candidates.first(where: FileManager.default.isExecutableFile(atPath:)) else {
      throw LeakRunError("found no 'swift' in PATH; pass its path with --swift")
    }
    self.swift = URL(filePath: path)
  }

  /// The path of the tool that finds function names and line numbers for the sanitizers; nil if the
  /// toolchain lacks it.
  var symbolizer: String? { tool("llvm-symbolizer")?.path }

  /// Returns a tool from the folder of the driver, or from the folder of the link to the driver;
  /// nil if neither has it.
  func tool(_ name: String) -> URL? {
    [swift.resolvingSymlinksInPath(), swift]
      .map { $0.deletingLastPathComponent().appending(path: name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Returns the demangled name of each Swift function; empty, after a line on standard error, if
  /// the toolchain cannot demangle them.
  func demangled(_ functions: Set<String>, in folder: URL) throws -> [String: String] {
    let mangled = functions.filter { $0.hasPrefix("$s") || $0.hasPrefix("$S") }.sorted()
    guard !mangled.isEmpty else { return [:] }
    let file = folder.appending(path: "functions.txt")
    try Data(mangled.joined(separator: "\n").utf8).write(to: file)
    let command = Command(program: swift, arguments: ["demangle", "--simplified"])
    let lines = try command.output(input: file).text.split(separator: "\n").map(String.init)
    guard lines.count == mangled.count else {
      say("findleaks: 'swift demangle' printed \(lines.count) of \(mangled.count) names")
      return [:]
    }
    return Dictionary(uniqueKeysWithValues: zip(mangled, lines))
  }
}

#if !(os(Linux) || os(macOS))
  /// In the place of Foundation's, which this platform lacks.
  final class Process {
    enum TerminationReason { case exit, uncaughtSignal }

    var executableURL: URL?
    var arguments: [String]?
    var environment: [String: String]?
    var standardInput, standardOutput, standardError: Any?
    let processIdentifier: Int32 = 0
    let terminationStatus: Int32 = 0
    let terminationReason = TerminationReason.exit

    func run() throws { throw LeakRunError("this platform cannot run another program") }

    func waitUntilExit() {}
  }
#endif
