import ArgumentParser
import Foundation
import Linearizability
import ProgramTesting
import TerminalIO
import Testing

@testable import weakstress

/// `weakstress check`, from a file to what is printed and how the program ends.
@Suite struct CheckCommandTests {
  /// Two get-or-inserts that both inserted.
  private static let lostInsert = """
    {"worker":0,"call":1,"return":5,"operation":"insert-if-absent","key":"k","arguments":["a"],"result":"a"}
    {"worker":1,"call":2,"return":6,"operation":"insert-if-absent","key":"k","arguments":["b"],"result":"b"}
    {"worker":1,"call":7,"return":8,"operation":"get","key":"k","arguments":[],"result":"b"}
    {"worker":2,"call":1,"return":9,"operation":"get","key":"other","arguments":[],"result":null}
    """

  private static func finding(
    _ text: String, timeLimit: Duration = .seconds(60)
  ) throws -> HistoryFinding {
    try RecordedHistory(bytes: Array(text.utf8), file: "-", format: .jsonLines)
      .check(as: .dictionary, timeLimit: timeLimit, minimizing: .seconds(60))
  }

  @Test func `a linearizable history is one line and no error`() throws {
    let fine = Self.lostInsert.split(separator: "\n").dropFirst().joined(separator: "\n")
    let finding = try Self.finding(fine)
    #expect(finding.lines == ["linearizable: 3 operations"])
    #expect(finding.ending == nil)
  }

  @Test func `an illegal one is a table with a column for each worker, and what cannot be placed`()
    throws
  {
    let finding = try Self.finding(Self.lostInsert)
    #expect(finding.ending?.status == .found)
    #expect(
      finding.lines.joined(separator: "\n") == """
        illegal: no order explains these 2 operations of key "k"

        TIME     WORKER 0               WORKER 1
           1     insert-if-absent("a")
           2                            insert-if-absent("b")
           5     -> "a"
           6  !                         -> "b"

        The longest partial linearization:
        1.  worker 0  insert-if-absent("a") -> "a"  state "a"

        cannot take effect by 6: worker 1, insert-if-absent("b") -> "b"
        """)
  }

  @Test func `a history that takes too long is undecided`() throws {
    let writes = (0..<24).map { number in
      """
      {"worker":\(number),"call":1,"return":2,"operation":"set","key":"k","arguments":["\(number)"],\
      "result":null}
      """
    }
    let read = """
      {"worker":0,"call":3,"return":4,"operation":"get","key":"k","arguments":[],"result":"none"}
      """
    // Hundreds of millions of configurations take longer, on any machine.
    let finding = try Self.finding(
      (writes + [read]).joined(separator: "\n"), timeLimit: .milliseconds(20))
    #expect(finding.ending?.status == .undecided)
    #expect(finding.lines == ["unknown: 25 operations"])
  }

  @Test(arguments: [
    (["--model", "dictionary"], "{", TerminalIO.ExitStatus.badData),
    (["--model", "dictionry"], "", .usage),
    (["--model", "register", "--time-limit", "0"], "", .usage),
    (["--model", "register", "--time-limit", "-1"], "", .usage),
    (["--input-format", "porcupin"], "", .usage),
    (["--input-format", "jepsen"], "{:process 0}", .badData),
    (["--input-format", "json-lines"], "{:process 0}", .usage),
    ([], "{\"worker\":0}", .usage),
    ([], "", .usage),
    ([], "INFO  jepsen.util - 0 :ok :read nil", .badData),
    (["--model", "dictionary"], "INFO  jepsen.util - 0 :invoke :read nil", .usage),
    (["--model", "register"], "{:process 0}", .usage),
  ])
  func `what is wrong has a status and one line`(
    options: [String], text: String, status: TerminalIO.ExitStatus
  ) throws {
    let folder = try TemporaryFolder()
    let command = try CheckCommand.parse([folder.file("history", containing: text)] + options)
    let error = try commandError { try command.run() }
    #expect(error.status == status)
    #expect(!error.description.contains { $0.isNewline })
  }

  @Test(arguments: ["/nowhere/history", "/"])
  func `a file that cannot be read is no bad data, but a path that is not allowed`(path: String)
    throws
  {
    let command = try CheckCommand.parse([path, "--model", "register"])
    #expect(try commandError { try command.run() }.status == .usage)
  }

  @Test(arguments: [
    ("etcd.log", RecordedObject?.none, "linearizable: 6 operations", TerminalIO.ExitStatus.fine),
    ("etcd-illegal.log", .register, "illegal: no order explains these 2 operations", .found),
    ("key-value.txt", nil, "linearizable: 6 operations", .fine),
    (
      "key-value-illegal.txt", .dictionary,
      "illegal: no order explains these 2 operations of key \"x\"", .found
    ),
  ])
  func `the logs of the fuzzer's corpus are read without options`(
    name: String, object: RecordedObject?, line: String, status: TerminalIO.ExitStatus
  ) throws {
    let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fuzz/Corpus/history/good/\(name)")
    let bytes = [UInt8](try Data(contentsOf: corpus))
    let finding = try RecordedHistory(
      bytes: bytes, file: name, format: HistoryFile.format(of: bytes)
    ).check(as: object, timeLimit: .seconds(60), minimizing: .seconds(60))
    #expect(finding.ending?.status ?? .fine == status)
    #expect(finding.lines.first == line)
  }

  @Test func `the times in a counterexample of a log are the numbers of its lines`() throws {
    let log = """
      INFO  jepsen.util - 0\t:invoke\t:write\t1
      INFO  jepsen.util - 0\t:ok\t:write\t1
      INFO  jepsen.util - 4\t:invoke\t:read\tnil
      INFO  jepsen.util - 4\t:ok\t:read\tnil
      """
    let finding = try RecordedHistory(bytes: Array(log.utf8), file: "-", format: .jepsen)
      .check(as: nil, timeLimit: .seconds(60), minimizing: .seconds(60))
    #expect(
      finding.lines.joined(separator: "\n") == """
        illegal: no order explains these 2 operations

        TIME     WORKER 0    WORKER 4
           1     write("1")
           2     -> null
           3                 read()
           4  !              -> null

        The longest partial linearization:
        1.  worker 0  write("1") -> null  state "1"

        cannot take effect by 4: worker 4, read() -> null
        """)
  }

  @Test(.enabled(if: TestedProgram.weakstress.isBuilt))
  func `a history comes from standard input or a pipe`() async throws {
    let log = "INFO  jepsen.util - 0\t:invoke\t:write\t1\n"
    let folder = try TemporaryFolder()
    for name in ["-", "/dev/stdin"] {
      let outcome = try await TestedProgram.weakstress.run(
        "check \(name)", in: folder, input: log)
      #expect(outcome.status == TerminalIO.ExitStatus.fine.rawValue, "\(outcome.errors)")
      #expect(outcome.output == "linearizable: 1 operation\n")
    }
    let illegal = log + "INFO  jepsen.util - 1\t:ok\t:write\t1\n"
    let outcome = try await TestedProgram.weakstress.run("check -", in: folder, input: illegal)
    #expect(outcome.status == TerminalIO.ExitStatus.badData.rawValue)
    #expect(
      outcome.errors == "weakstress: standard input: line 2, column 23: expected an :invoke of "
        + "process 1 first, found :ok\n")
  }
}
