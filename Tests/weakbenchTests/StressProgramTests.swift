import Foundation
import Testing

@testable import weakbench

/// `weakbench stress`, as somebody runs it.
@Suite struct StressProgramTests {
  @Test(
    .enabled(if: ProgramTests.isBuilt),
    arguments: [
      "stress --backend mutexx", "stress --driver fibers", "stress --seconds 0", "stress --seed -1",
      "stress --html /none/a.html", "stress --html a.txt", "stress --summary a.html",
      "stress --replay nonsense --backend mutex",
      "stress --replay wc2.threads.dictionary.g0.7 --backend mutex",
      "stress --replay wc1.threads.dictionary.z0.7 --backend mutex",
      "stress --replay wc1.threads.dictionary.g0.7",
      "stress --replay wc1.schedule.dictionary.g0.nonsense --backend mutex",
      "stress --replay wc1.threads.dictionary.g0.7 --backend mutex --driver schedules",
    ])
  func `what is not allowed ends with one line and status 64`(_ line: String) async throws {
    let folder = try TemporaryFolder()
    let outcome = try await ProgramTests.run(line, in: folder)
    #expect(outcome.status == ExitStatus.usage.rawValue)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.filter(\.isNewline).count == 1, "\(outcome.errors)")
  }

  #if !Interleaving
    @Test(.enabled(if: ProgramTests.isBuilt))
    func `without the trait, schedules end with one line and status 64`() async throws {
      let folder = try TemporaryFolder()
      for line in [
        "stress --driver schedules",
        "stress --backend mutex --replay wc1.schedule.dictionary.n/s0-0.1sb:2x14,1,d2.0x3",
      ] {
        let outcome = try await ProgramTests.run(line, in: folder)
        #expect(outcome.status == ExitStatus.usage.rawValue)
        #expect(outcome.errors.contains("Interleaving"))
        #expect(outcome.errors.filter(\.isNewline).count == 1, "\(outcome.errors)")
      }
    }
  #endif

  @Test(.enabled(if: ProgramTests.isBuilt))
  func `a run in which nothing is found shows a table and writes it`() async throws {
    let folder = try TemporaryFolder()
    let outcome = try await ProgramTests.run(
      "stress --driver threads --backend mutex --seconds 0.2 --seed 5 --summary s.csv", in: folder)
    #expect(outcome.status == ExitStatus.fine.rawValue, "\(outcome.errors)")
    #expect(outcome.errors.contains("nothing found (--seed 5)"))
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines.last?.hasPrefix("all") == true)
    let rows = try folder.text(of: "s.csv").split(separator: "\n")
    #expect(rows.count == 4)
    #expect(rows[1].hasPrefix("mutex,dictionary,threads,"))
    #expect(rows[2].hasPrefix("mutex,weak-array,threads,"))
    #expect(rows[3].hasPrefix("mutex,weak-set,threads,"))
  }

  @Test(.enabled(if: ProgramTests.isBuilt))
  func `a replay of what does not fail finds nothing`() async throws {
    let folder = try TemporaryFolder()
    let outcome = try await ProgramTests.run(
      "stress --backend mutex --seconds 0.1 --replay wc1.threads.dictionary.i0-0/i0-1.7", in: folder
    )
    #expect(outcome.status == ExitStatus.fine.rawValue, "\(outcome.errors)")
    #expect(outcome.errors == "weakbench: nothing found\n")
  }

  @Test(.enabled(if: ProgramTests.isBuilt), arguments: [SIGINT, SIGTERM])
  func `an interruption shows what was tried and ends with 130`(_ signal: Int32) async throws {
    let folder = try TemporaryFolder()
    let process = Process()
    process.executableURL = ProgramTests.program
    process.arguments = ["stress", "--driver", "threads", "--backend", "mutex", "--seconds", "600"]
    let (chunks, chunk) = AsyncStream.makeStream(of: Void.self)
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle(
      forWritingAtPath: try folder.file("output", containing: ""))
    let (exits, exit) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = { process in
      exit.yield(process.terminationStatus)
      exit.finish()
    }
    try process.run()
    let descriptor = errors.fileHandleForReading.fileDescriptor
    Thread {
      // The preamble comes after everything that an interruption needs.
      var buffer = [UInt8](repeating: 0, count: 4096)
      if read(descriptor, &buffer, buffer.count) > 0 { chunk.yield() }
      chunk.finish()
    }.start()
    for await _ in chunks { kill(process.processIdentifier, signal) }
    let statuses = await exits.reduce(into: []) { $0.append($1) }
    withExtendedLifetime(errors) {}
    #expect(statuses == [ExitStatus.interrupted.rawValue])
    #expect(try folder.text(of: "output").contains("mutex"))
  }
}
