import Foundation
import SanitizerReports

/// Another program with its arguments and environment.
struct Command {
  let program: URL
  let arguments: [String]
  var environment = ProcessInfo.processInfo.environment

  /// Runs it with the input and output of this process.
  func run() throws -> (process: Int, end: RunEnd) {
    let process = process
    try process.run()
    return (Int(process.processIdentifier), end(of: process))
  }

  /// Runs it and passes both outputs to `output` as they arrive.
  func run(output: (Data) -> Void) throws -> RunEnd {
    let process = process
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let reading = pipe.fileHandleForReading
    while true {
      // A child that outlives the process may keep the output open: stop at the end of either.
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

  /// Runs it with a file as its input; returns its standard output.
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

  /// Waits for its end. Foundation would also wait for its children, of which one may run
  /// indefinitely.
  private func end(of process: Process) -> RunEnd {
    while true { if let end = end(of: process, options: 0) { return end } }
  }

  /// Returns how it ended; `nil` if it still runs.
  private func end(of process: Process, options: Int32) -> RunEnd? {
    var status: Int32 = 0
    let ended = waitpid(process.processIdentifier, &status, options)
    if ended == process.processIdentifier {
      let signal = status & 0x7f
      return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }
    guard ended == -1, errno != EINTR else { return nil }
    // Foundation has waited for it already.
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal
      ? .signalled(process.terminationStatus) : .exited(process.terminationStatus)
  }

  /// The largest capacity in bytes that Linux gives a pipe of an unprivileged process.
  private static let largestPipe = 1 << 20

  /// Returns whether there is something to read, or the end of the file.
  private static func isReadable(_ file: FileHandle, forMilliseconds time: Int32) -> Bool {
    var request = pollfd(fd: file.fileDescriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, time) > 0
  }
}

/// Swift's driver and the tools beside it.
struct Toolchain {
  let swift: URL

  /// - Parameter swift: The path of the driver; by default the first in `PATH`.
  init(swift: String?) throws(LeakRunError) {
    if let swift {
      self.swift = URL(filePath: swift)
      return
    }
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let candidates = folders.split(separator: ":").map { "\($0)/swift" }
    guard let path = candidates.first(where: FileManager.default.isExecutableFile(atPath:)) else {
      throw LeakRunError("there is no 'swift' in PATH")
    }
    self.swift = URL(filePath: path)
  }

  /// The path of the tool that gives the sanitizers names and lines; nil if the toolchain does not
  /// have it.
  var symbolizer: String? { tool("llvm-symbolizer")?.path }

  /// Returns another tool of the toolchain, beside the driver or a link to it.
  func tool(_ name: String) -> URL? {
    [swift.resolvingSymlinksInPath(), swift]
      .map { $0.deletingLastPathComponent().appending(path: name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Returns the demangled names of functions; none if the toolchain cannot demangle them.
  func demangled(_ functions: Set<String>, in folder: URL) throws -> [String: String] {
    let mangled = functions.filter { $0.hasPrefix("$s") || $0.hasPrefix("$S") }.sorted()
    guard !mangled.isEmpty else { return [:] }
    let file = folder.appending(path: "functions.txt")
    try Data(mangled.joined(separator: "\n").utf8).write(to: file)
    let command = Command(program: swift, arguments: ["demangle", "--simplified"])
    let lines = try command.output(input: file).text.split(separator: "\n").map(String.init)
    guard lines.count == mangled.count else { return [:] }
    return Dictionary(uniqueKeysWithValues: zip(mangled, lines))
  }
}
