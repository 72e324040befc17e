import ArgumentParser
import Foundation
import Linearizability
import ProgramTesting
import StressTesting
import TerminalIO
import Testing
import WeakCollections

@testable import weakstress

/// `weakstress run`, `replay` and `list`, as somebody runs them.
@Suite struct StressProgramTests {
  @Test(
    .enabled(if: TestedProgram.weakstress.isBuilt),
    arguments: [
      "run --backend mutexx", "run --driver fibers", "run --seconds 0", "run --seed -1",
      "run --threads 0",
      "run --html /none/a.html", "run --html a.txt", "run --summary a.html",
      "replay nonsense --backend mutex",
      "replay wc2.threads.dictionary.g0.7 --backend mutex",
      "replay wc1.threads.dictionary.z0.7 --backend mutex",
      "replay wc1.threads.dictionary.g0.7",
      "replay wc1.schedule.dictionary.g0.nonsense --backend mutex",
      "replay wc1.threads.dictionary.g0.7 --backend mutex --driver schedules",
      "help nope", "help run nope", "list nope", "stress", "--seconds 1",
    ])
  func `what is not allowed ends with one line and status 64`(_ line: String) async throws {
    let folder = try TemporaryFolder()
    let outcome = try await TestedProgram.weakstress.run(line, in: folder)
    #expect(outcome.status == ExitStatus.usage.rawValue)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.filter(\.isNewline).count == 1, "\(outcome.errors)")
  }

  #if !Interleaving
    @Test(.enabled(if: TestedProgram.weakstress.isBuilt))
    func `without the trait, schedules end with one line and status 64`() async throws {
      let folder = try TemporaryFolder()
      for line in [
        "run --driver schedules",
        "replay --backend mutex wc1.schedule.dictionary.n/s0-0.1sb:2x14,1,d2.0x3",
      ] {
        let outcome = try await TestedProgram.weakstress.run(line, in: folder)
        #expect(outcome.status == ExitStatus.usage.rawValue)
        #expect(outcome.errors.contains("Interleaving"))
        #expect(outcome.errors.filter(\.isNewline).count == 1, "\(outcome.errors)")
      }
    }
  #endif

  @Test(.enabled(if: TestedProgram.weakstress.isBuilt))
  func `a run in which nothing is found shows a table and writes it`() async throws {
    let folder = try TemporaryFolder()
    let outcome = try await TestedProgram.weakstress.run(
      "run --driver threads --backend mutex --seconds 0.2 --seed 5 --summary s.csv", in: folder)
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

  @Test func `a run without a scenario has failed`() throws {
    let journal = StressJournal(
      try StressPlan(StressOptions.parse(["--backend", "mutex", "--driver", "threads"])),
      drawsProgress: false)
    #expect(journal.status(of: nil) == .failed)
    var tally = StressTally()
    tally.scenarios = 1
    journal.add(tally, to: 0)
    #expect(journal.status(of: nil) == .fine)
  }

  @Test(.enabled(if: TestedProgram.weakstress.isBuilt))
  func `every help fits a terminal of 80 columns and 40 lines`() async throws {
    let folder = try TemporaryFolder()
    for command in ["", "run", "check", "replay", "list"] {
      let outcome = try await TestedProgram.weakstress.run("\(command) --help", in: folder)
      let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(outcome.status == ExitStatus.fine.rawValue)
      #expect(lines.count <= 41, "\(command): \(lines.count - 1) lines")
      #expect(lines.allSatisfy { $0.count <= 80 }, "\(command)")
    }
  }

  @Test(.enabled(if: TestedProgram.weakstress.isBuilt))
  func `every name in the list is accepted`() async throws {
    let folder = try TemporaryFolder()
    let outcome = try await TestedProgram.weakstress.run("list", in: folder)
    #expect(outcome.status == ExitStatus.fine.rawValue)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.output == StressInventory.text + "\n")
    let words = outcome.output.split { $0.isWhitespace }.map(String.init)
    for collection in CollectionKind.allCases {
      #expect(words.contains(collection.rawValue))
      let named = BackendCatalog.subjects.filter { $0.collection == collection }.map(\.name)
      #expect(Set(named).isSubset(of: words))
      let plan = try StressPlan(
        StressOptions.parse([
          "--collection", collection.rawValue, "--backend", named.joined(separator: ","),
          "--driver", "threads",
        ]))
      #expect(plan.cells.map(\.subject.name) == named)
    }
    for signature in RecordedObject.allCases.flatMap(\.signatures) {
      #expect(words.contains(signature.name))
    }
    for format in HistoryFile.Format.allCases { #expect(words.contains(format.rawValue)) }
    for driver in StressDriver.allCases { #expect(words.contains(driver.rawValue)) }
  }

  @Test(.enabled(if: TestedProgram.weakstress.isBuilt))
  func `a replay of what does not fail finds nothing`() async throws {
    let folder = try TemporaryFolder()
    let outcome = try await TestedProgram.weakstress.run(
      "replay --backend mutex --seconds 0.1 wc1.threads.dictionary.i0-0/i0-1.7", in: folder
    )
    #expect(outcome.status == ExitStatus.fine.rawValue, "\(outcome.errors)")
    #expect(outcome.errors == "weakstress: nothing found\n")
  }

  @Test(.enabled(if: TestedProgram.weakstress.isBuilt), arguments: [SIGINT, SIGTERM])
  func `an interruption shows what was tried and ends with 130`(_ signal: Int32) async throws {
    let program = try RunningProgram(
      .weakstress, "run --driver threads --backend mutex --seconds 600")
    // The preamble comes after everything that an interruption needs.
    var isInterrupted = false
    for await _ in program.errors where !isInterrupted {
      program.signal(signal)
      isInterrupted = true
    }
    #expect(await program.status() == ExitStatus.interrupted.rawValue)
    let output = await program.output.reduce(into: Data(), +=)
    #expect(String(decoding: output, as: UTF8.self).contains("mutex"))
  }
}
