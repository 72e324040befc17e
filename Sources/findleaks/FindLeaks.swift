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

/// Beside what the program prints.
func say(_ message: String) {
  FileHandle.standardError.write(Data((message + "\n").utf8))
}
