import Foundation
import Measurements
import BenchmarkCommands
import TerminalIO

extension OutputDestination {
  /// What the options say; `defaultName` is for a new file in the caller's directory.
  init(_ options: RunOptions, defaultName: String) throws(CommandError) {
    let flags = [
      ("--append", options.append), ("--force", options.force), ("--resume", options.resume),
    ].filter(\.1).map(\.0)
    guard flags.count <= 1 else {
      throw .usage("\(flags.joined(separator: " and ")) exclude each other (allowed: one of them)")
    }
    guard let csv = options.csv, csv != "-" else {
      if let flag = flags.first {
        throw .usage("\(flag) needs a file (allowed: \(flag) with --csv PATH)")
      }
      self = options.csv == nil ? .new(path: Self.absolute(defaultName)) : .standardOutput
      return
    }
    guard !csv.isEmpty else {
      throw .usage("--csv '' (allowed: a path, or - for standard output)")
    }
    let path = Self.absolute(csv)
    switch (options.append || options.resume, options.force) {
    case (true, _): self = .appending(path: path)
    case (_, true): self = .replacing(path: path)
    default: self = .new(path: path)
    }
  }

  /// Of rows: where a page of them goes.
  func page() throws(CommandError) -> OutputDestination {
    try beside(ending: ".html", option: "--report")
  }

  /// Of rows: where what each role did goes; rows that are kept keep theirs.
  func roles() throws(CommandError) -> OutputDestination {
    let roles = try beside(ending: ResultsFile.rolesEnding, option: "--roles")
    if case .appending = self, case .replacing(let path) = roles { return .appending(path: path) }
    return roles
  }

  /// Refuses what could not be written or would lose rows; rows are appended only to a file with these columns.
  func check(columns: [String]) throws(CommandError) {
    try check { path throws(CommandError) in try Self.checkHeader(of: path, columns: columns) }
  }

  /// Rows of other columns would make the file unreadable; so would a row that was cut off.
  private static func checkHeader(
    of path: String, columns: [String]
  ) throws(CommandError) {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw unwritable(path, EACCES)
    }
    if data.isEmpty { return }
    let text = String(decoding: data, as: UTF8.self)
    guard (try? MeasurementCSV.columnNames(in: text)) == columns else {
      throw .usage(
        "\(path) cannot be appended to: its header is not this version's "
          + "(allowed: a file with the header \(columns.joined(separator: ",")), --force or another path)"
      )
    }
    guard data.last == UInt8(ascii: "\n") else {
      throw .usage(
        "\(path) cannot be appended to: its last row is cut off "
          + "(allowed: a file that ends with a line end, --force or another path)")
    }
  }
}
