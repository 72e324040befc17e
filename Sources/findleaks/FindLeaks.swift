import Foundation
import SanitizerReports

/// `swift package leaks`, without SwiftPM around it.
@main
enum FindLeaks {
  static func main() {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      if options.asksForHelp {
        print(Options.help)
      } else {
        exit(try find(options).exitStatus)
      }
    } catch {
      say("findleaks: \(error)")
      exit(LeakVerdict.undecided("").exitStatus)
    }
  }

  private static func find(_ options: Options) throws -> LeakVerdict {
    #if os(Linux)
      let run = try LeakRun(options)
      let (verdict, report) = try run()
      let text = LeakText(report, in: run.source, showsAllFrames: options.isVerbose)
      print(text.text(verdict), terminator: "")
      if options.isVerbose {
        for suppression in run.suppressions {
          let count = report.suppressed[suppression.pattern] ?? 0
          print("suppressed \(count): \(suppression.pattern) (\(suppression.reason))")
        }
      }
      try run.write(verdict, report)
      return verdict
    #else
      throw LeakRunError(
        "this platform has no LeakSanitizer; on macOS use 'leaks --atExit -- program'")
    #endif
  }
}

/// Writes a line to standard error, apart from what the program prints.
func say(_ message: String) {
  FileHandle.standardError.write(Data((message + "\n").utf8))
}

/// The files for other programs: JUnit XML and SARIF.
struct ReportFiles {
  private let jUnit: URL?
  private let sarif: URL?

  init(_ options: Options) {
    jUnit = options.jUnit.map { URL(filePath: $0) }
    sarif = options.sarif.map { URL(filePath: $0) }
  }

  /// Removes the files of an earlier run, which must not be taken for this one's. Throws if one of
  /// them is no regular file, or its folder does not exist: now, because the build takes long.
  func prepare() throws {
    let files = [jUnit, sarif].compactMap { $0 }
    for file in files { try check(file) }
    for file in files where unlink(file.path) != 0 && errno != ENOENT {
      throw LeakRunError("'\(file.relativePath)' cannot be replaced")
    }
  }

  private func check(_ file: URL) throws {
    let parent = file.deletingLastPathComponent().path
    guard FileManager.default.isWritableFile(atPath: parent) else {
      throw LeakRunError("'\(file.relativePath)' has no folder that can be written to")
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    guard let type = attributes?[.type] as? FileAttributeType else { return }
    if type == .typeDirectory { throw LeakRunError("'\(file.relativePath)' is a folder") }
    if type != .typeRegular { throw LeakRunError("'\(file.relativePath)' is no regular file") }
  }

  /// Writes both files; throws after it tried both. Each file is written completely or not at all.
  func write(_ verdict: LeakVerdict, _ report: SanitizerReport, in source: SourceRoot) throws {
    let jUnitResult = Result { try replace(jUnit, report.jUnit(verdict, in: source)) }
    let sarifResult = Result { try replace(sarif, report.sarif(verdict, in: source)) }
    try jUnitResult.get()
    try sarifResult.get()
  }

  private func replace(_ file: URL?, _ text: @autoclosure () -> String) throws {
    try file.map { try Data(text().utf8).write(to: $0, options: .atomic) }
  }
}
