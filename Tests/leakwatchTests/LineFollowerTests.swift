import TerminalIO
import ProgramTesting
import Foundation
import Testing

@testable import leakwatch

struct LineFollowerTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try folder.file("leaks.jsonl", containing: "")
  }

  private func append(_ text: String) throws {
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  private func newLines(_ follower: LineFollower) -> [String] {
    follower.newLines().map { "\($0.number) \(String(decoding: $0.bytes, as: UTF8.self))" }
  }

  @Test func `each line arrives once, when it is complete`() throws {
    let follower = try LineFollower(path)
    #expect(newLines(follower).isEmpty)
    try append("one\ntw")
    #expect(newLines(follower) == ["1 one"])
    #expect(follower.unfinishedLine()?.number == 2)
    #expect(newLines(follower).isEmpty)
    try append("o\n\n")
    #expect(newLines(follower) == ["2 two", "3 "])
    #expect(follower.unfinishedLine() == nil)
  }

  @Test func `lines that are longer than one read arrive whole`() throws {
    let line = String(repeating: "é", count: 50_000)
    try append("\(line)\n\(line)\n\(line)")
    let follower = try LineFollower(path)
    #expect(newLines(follower) == ["1 \(line)", "2 \(line)"])
    #expect(follower.unfinishedLine()?.bytes.count == 100_000)
  }

  @Test func `a file that was truncated is read from its beginning`() throws {
    try append("one\ntwo\nthr")
    let follower = try LineFollower(path)
    #expect(newLines(follower).count == 2)
    #expect(truncate(path, 0) == 0)
    try append("new\n")
    #expect(newLines(follower) == ["1 new"])
  }

  private func rotate(_ paths: String...) throws {
    for (newer, older) in zip(paths.dropFirst(), paths).reversed() {
      try FileManager.default.moveItem(atPath: older, toPath: newer)
    }
    try Data().write(to: URL(fileURLWithPath: path))
  }

  @Test func `after a rotation the last lines of the old file arrive, then those of the new file`()
    throws
  {
    try append("one\n")
    let follower = try LineFollower(path)
    #expect(newLines(follower) == ["1 one"])
    try append("two\n")
    try rotate(path, "\(path).1")
    try append("three\n")
    #expect(newLines(follower) == ["2 two", "1 three"])
    try append("four\n")
    #expect(newLines(follower) == ["2 four"])
  }

  @Test func `after several rotations every file is read`() throws {
    try append("one\n")
    let follower = try LineFollower(path)
    try rotate(path, "\(path).1")
    try append("two\n")
    try rotate(path, "\(path).1", "\(path).2")
    try append("three\n")
    #expect(newLines(follower) == ["1 one", "1 two", "1 three"])
  }

  @Test func `a deleted file is followed by the next file of its name`() throws {
    try append("one\n")
    let follower = try LineFollower(path)
    try FileManager.default.removeItem(atPath: path)
    #expect(newLines(follower) == ["1 one"])
    try Data("two\n".utf8).write(to: URL(fileURLWithPath: path))
    #expect(newLines(follower) == ["1 two"])
  }

  @Test(arguments: ["/none", "/tmp"]) func `a path that is not a file is refused`(_ path: String)
    throws
  {
    let error = try commandError { _ = try LineFollower(path) }
    #expect(error.status == .usage)
    #expect(error.description.hasPrefix("'/none' does not exist (") == (path == "/none"))
  }
}
