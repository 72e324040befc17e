import Foundation
import SanitizerReports

/// Another program, and what it is run with.
struct Command {
  let program: URL
  let arguments: [String]
  var environment = ProcessInfo.processInfo.environment

  /// Runs it with our own input and output.
  func run() throws -> (process: Int, end: RunEnd) {
    let process = process
    try process.run()
    return (Int(process.processIdentifier), end(of: process))
  }

  /// Runs it; both outputs go to `output`, as they come.
  func run(output: (Data) -> Void) throws -> RunEnd {
    let process = process
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let reading = pipe.fileHandleForReading
    while true {
      // A child that outlives the process may hold the output open: the end of either is the end.
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

  /// What it prints, given a file; its messages stay ours.
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

  /// Waits for its end. Foundation would also wait for its children, of which one may go on for ever.
  private func end(of process: Process) -> RunEnd {
    while true { if let end = end(of: process, options: 0) { return end } }
  }

  /// `nil` if it goes on.
  private func end(of process: Process, options: Int32) -> RunEnd? {
    var status: Int32 = 0
    let ended = waitpid(process.processIdentifier, &status, options)
    if ended == process.processIdentifier {
      let signal = status & 0x7f
      return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }
    guard ended == -1, errno != EINTR else { return nil }
    // Foundation was faster, and knows.
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal
      ? .signalled(process.terminationStatus) : .exited(process.terminationStatus)
  }

  /// In bytes, the most that Linux lets a process have in one without privileges.
  private static let largestPipe = 1 << 20

  /// Whether there is something to read, or the end.
  private static func isReadable(_ file: FileHandle, forMilliseconds time: Int32) -> Bool {
    var request = pollfd(fd: file.fileDescriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, time) > 0
  }
}

/// Swift's driver, and what lies beside it.
struct Toolchain {
  let swift: URL

  /// - Parameter swift: the path of the driver; by default the first in `PATH`.
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

  /// What gives the sanitizers names and lines, if the toolchain has it.
  var symbolizer: String? { tool("llvm-symbolizer")?.path }

  /// Another of its programs. It lies beside the driver, or beside a link to that.
  func tool(_ name: String) -> URL? {
    [swift.resolvingSymlinksInPath(), swift]
      .map { $0.deletingLastPathComponent().appending(path: name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Names for those that are mangled; none if the toolchain cannot tell.
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
