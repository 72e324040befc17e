import TerminalIO
import ArgumentParser
import Testing

@testable import weakbench

@Suite struct ParsingMessageTests {
  private static func line(_ arguments: [String]) -> String? {
    do {
      _ = try WeakbenchCommand.parseAsRoot(arguments)
      return nil
    } catch {
      return ParsingMessage.line(for: error, arguments: arguments, of: WeakbenchCommand.self)
    }
  }

  @Test func `a mistyped option gets a suggestion and the options of its command`() throws {
    let line = try #require(Self.line(["run", "--thread", "4"]))
    #expect(line.contains("--threads"))
    #expect(line.contains("(allowed: --collection, --backend, --workload, --mix, --roles"))
    #expect(!line.contains { $0.isNewline })
  }

  @Test func `a mistyped command gets the commands`() throws {
    let line = try #require(Self.line(["rum"]))
    #expect(line.contains("(allowed: run, show"))
  }

  @Test func `a missing value is refused`() throws {
    #expect(try #require(Self.line(["run", "--csv"])).contains("--csv"))
  }
}
