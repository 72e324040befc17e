import ProgramTesting
import TerminalIO
import ArgumentParser
import Linearizability
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

  private static func finding(_ text: String) throws -> HistoryFinding {
    try RecordedObject.dictionary.check(Array(text.utf8), from: "-", timeLimit: .seconds(60))
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
    let bytes = Array((writes + [read]).joined(separator: "\n").utf8)
    let finding = try RecordedObject.dictionary.check(
      bytes, from: "-", timeLimit: .milliseconds(20))
    #expect(finding.ending?.status == .undecided)
    #expect(finding.lines == ["unknown: 25 operations"])
  }

  @Test(arguments: [
    (["--model", "dictionary"], "{", TerminalIO.ExitStatus.badData),
    (["--model", "dictionry"], "", .usage),
    (["--model", "register", "--time-limit", "0"], "", .usage),
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

  @Test func `the help names every operation of every model`() {
    for signature in RecordedObject.allCases.flatMap(\.signatures) {
      #expect(CheckHelp.text.contains("\n  \(signature.name) "), "\(signature.name)")
    }
  }
}
