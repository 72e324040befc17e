import ArgumentParser
import LeakReports
import RuntimeInspection
import TerminalIO

/// The command that counts the live objects of another process by type.
struct HeapCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "heap",
    abstract: "Counts the live objects of a process by type, and shows what grew.",
    usage: """
      leakwatch heap <pid> [--since <file>] [--paths] [--html <file>] [--json]
      leakwatch heap --diff <file> [<later file>] [--html <file>] [--json]
      """,
    discussion: """
      The process needs no preparation. leakwatch stops it, and then walks through
      the blocks of glibc's malloc; the first line says for how long. Linux only.

      In a container without ptrace, a program takes the snapshots itself, as with
      HeapSnapshot.takeOnSignal, and appends them to a file.

      --json prints a snapshot as a line of JSON. --diff and --since read such lines
      from one file or from two. A difference begins with the part of the memory
      that grew most: live objects, other blocks, free blocks, or memory outside
      malloc. If the later snapshot was taken with --paths, the difference shows a
      path to an object of each of the first five types. --html writes a page with
      what each type retains in the last snapshot, as a tree. --paths and --html
      stop the process for longer.

      EXIT STATUS: 0 a snapshot, or a difference in which live objects did not grow
      most; 1 live objects grew most; 2 the process cannot be read; 64 an option or
      a path is not allowed; 65 a file is damaged.
      """)

  @Option(
    help: ArgumentHelp("Show what grew since the last snapshot of this file.", valueName: "file"))
  var since: String?

  @Flag(help: "Compare the snapshots of files instead of reading a process.")
  var diff = false

  @Flag(
    help: "Search for a path of references to one object of each type (default: off).")
  var paths = false

  @Option(
    help: ArgumentHelp("Write the snapshot to this .html file (default: none).", valueName: "file"))
  var html: String?

  @Flag(help: "Print JSON (default: text).")
  var json = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Show at most this many types (default: 20).", valueName: "n"))
  var limit: String?

  @Argument(help: "The identifier of the process or, with --diff, one or two files.")
  var subjects: [String] = []

  func run() throws {
    let limit = try OptionText("--limit", self.limit, allowed: 1...1_000_000).number(otherwise: 20)
    let inputs = diff ? subjects : [since].compactMap(\.self)
    if let html {
      try OutputDestination(replacing: html, option: "--html", endings: ["html"])
        .check(isNoneOf: inputs)
    }
    if diff {
      try show(try difference(), limit: limit)
    } else if let since {
      let earlier = try Self.snapshots(in: since).last!
      try show(try current().growth(since: earlier), limit: limit)
    } else {
      let snapshot = try current()
      try writePage(of: snapshot)
      Console.print(json ? snapshot.jsonLine : snapshot.text(limit: limit))
    }
  }

  private func show(_ growth: HeapGrowth, limit: Int) throws(CommandError) {
    try writePage(of: growth.after)
    Console.print(json ? growth.jsonLine : growth.text(limit: limit))
    guard growth.verdict == .liveObjects else { return }
    throw CommandError(status: .found, description: growth.verdictText)
  }

  private func writePage(of snapshot: HeapSnapshot) throws(CommandError) {
    guard let html else { return }
    do {
      try LeakFile.replace(html, with: HeapPage(snapshot).html)
    } catch {
      throw .failed(error.description)
    }
  }

  /// Counts the objects of the process in the arguments.
  private func current() throws(CommandError) -> HeapSnapshot {
    guard subjects.count == 1, let process = Int32(subjects[0]), process > 0 else {
      throw .usage("heap needs one process (allowed: the PID of a process, or --diff <file>)")
    }
    do {
      return try HeapSnapshot.take(ofProcess: process, findsPaths: paths || html != nil)
    } catch {
      throw .failed(error.description)
    }
  }

  private func difference() throws(CommandError) -> HeapGrowth {
    guard since == nil, 1...2 ~= subjects.count else {
      throw .usage("--diff needs one or two files (allowed: --diff <file> [<later file>])")
    }
    let (first, last) = (
      try Self.snapshots(in: subjects[0]), try Self.snapshots(in: subjects.last!)
    )
    if subjects.count == 2 { return last.last!.growth(since: first.last!) }
    guard first.count > 1 else {
      throw .failed(
        "\(subjects[0].quotedOnOneLine) has one snapshot; --diff needs two, in one file or in two")
    }
    return first.last!.growth(since: first[0])
  }

  /// Returns the snapshots of a file, at least one.
  private static func snapshots(in file: String) throws(CommandError) -> [HeapSnapshot] {
    let snapshots: [HeapSnapshot]
    do {
      snapshots = try HeapSnapshot.snapshots(inFile: file)
    } catch {
      throw CommandError(error, allowed: "heap snapshots as JSON Lines")
    }
    guard !snapshots.isEmpty else {
      throw .failed("\(file.quotedOnOneLine) has no snapshot; leakwatch heap PID --json prints one")
    }
    return snapshots
  }
}
