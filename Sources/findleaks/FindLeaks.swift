import Foundation
import LeakReports
import SanitizerReports

/// The program behind `swift package leaks`.
@main
enum FindLeaks {
  static func main() {
    openStandardStreams()
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      if options.asksForHelp {
        print(Options.help)
      } else if options.countsHeap {
        try count(options)
      } else {
        exit(try find(options).exitStatus)
      }
    } catch {
      say("findleaks: \(error)")
      exit(exitStatus(of: error))
    }
  }

  /// Returns 64 for wrong usage, 65 for a malformed file, and 2, which means no verdict, for every
  /// other error.
  private static func exitStatus(of error: any Error) -> Int32 {
    switch error {
    case is Options.UsageError: 64
    case is SuppressionError: 65
    case let error as LeakRunError: error.exitStatus
    default: LeakVerdict.undecided("").exitStatus
    }
  }

  private static func count(_ options: Options) throws {
    let snapshot = try LeakRun(options).heap()
    print(snapshot.text())
    try options.heapJSON.map(snapshot.append(toFile:))
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

/// Opens the null device in place of each standard stream that is closed.
///
/// SwiftPM starts plugins with a closed standard input. The pipe for the output of a `Process`
/// would get that descriptor, and Foundation would then close the standard input of the child.
private func openStandardStreams() {
  // The lowest free number is taken; the loop ends at the first one beyond the three streams.
  var descriptor: Int32
  repeat { descriptor = open("/dev/null", O_RDWR) } while (0...2).contains(descriptor)
  if descriptor > 2 { close(descriptor) }
}

/// Writes a line to standard error.
func say(_ message: String) {
  FileHandle.standardError.write(Data((message + "\n").utf8))
}

/// The report files for other programs: JUnit XML and SARIF.
struct ReportFiles {
  private let jUnit: URL?
  private let sarif: URL?

  init(_ options: Options) {
    jUnit = options.jUnit.map { URL(filePath: $0) }
    sarif = options.sarif.map { URL(filePath: $0) }
  }

  /// Removes the files of an earlier run, which could be mistaken for those of this run.
  ///
  /// Throws if a path is not a regular file, or if its folder does not exist. The caller runs this
  /// before the build, so that such a mistake does not cost a build.
  func prepare() throws {
    let files = [jUnit, sarif].compactMap { $0 }
    for file in files { try check(file) }
    for file in files where unlink(file.path) != 0 && errno != ENOENT {
      throw LeakRunError(
        "cannot replace '\(file.relativePath)': \(String(cString: strerror(errno)))",
        exitStatus: 64)
    }
  }

  private func check(_ file: URL) throws {
    let parent = file.deletingLastPathComponent().path
    guard FileManager.default.isWritableFile(atPath: parent) else {
      throw LeakRunError(
        "cannot write '\(file.relativePath)': its folder does not exist or is not writable",
        exitStatus: 64)
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    guard let type = attributes?[.type] as? FileAttributeType else { return }
    guard type != .typeRegular else { return }
    let kind = type == .typeDirectory ? "a folder" : "not a regular file"
    throw LeakRunError("cannot write '\(file.relativePath)': it is \(kind)", exitStatus: 64)
  }

  /// Writes both files, each completely or not at all. Tries to write both, and then throws the
  /// first error.
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
