import Foundation

/// The program while it runs, and what it writes meanwhile.
package final class RunningProgram {
  private let process = Process()
  private let exits: AsyncStream<Int32>
  private var pipes: [Pipe] = []
  package private(set) var output = AsyncStream<Data> { $0.finish() }
  /// Ends when the program and all that it has started have ended.
  package private(set) var errors = AsyncStream<Data> { $0.finish() }

  package init(_ program: TestedProgram, _ line: String) throws {
    process.executableURL = program.url
    process.arguments = line.split(separator: " ").map(String.init)
    let (exits, exit) = AsyncStream.makeStream(of: Int32.self)
    self.exits = exits
    process.terminationHandler = { process in
      exit.yield(process.terminationStatus)
      exit.finish()
    }
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    pipes = [output, errors]
    self.output = try Self.chunks(of: output)
    self.errors = try Self.chunks(of: errors)
  }

  /// To all processes of its group, as a terminal does it: it leads one of its own.
  package func signalGroup(_ signal: Int32) -> Bool {
    let leader = process.processIdentifier
    return getpgid(leader) == leader && kill(-leader, signal) == 0
  }

  package var processIdentifier: Int32 { process.processIdentifier }

  package func signal(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Its exit status, or the signal that ended it.
  package func status() async -> Int32? { await exits.reduce(nil) { $1 } }

  /// By a thread that blocks: a handler of readable data, taken away at the end of the file, can
  /// crash Dispatch's event loop.
  private static func chunks(of pipe: Pipe) throws -> AsyncStream<Data> {
    let (chunks, chunk) = AsyncStream.makeStream(of: Data.self)
    try pipe.fileHandleForWriting.close()
    // The pipe closes its end when it goes.
    let descriptor = dup(pipe.fileHandleForReading.fileDescriptor)
    Thread {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
        chunk.yield(Data(buffer[..<count]))
      }
      close(descriptor)
      chunk.finish()
    }.start()
    return chunks
  }
}
