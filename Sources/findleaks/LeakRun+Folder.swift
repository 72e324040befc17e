import Foundation
import SanitizerReports

/// What the sanitizers read and write.
extension LeakRun {
  /// Makes the folder, and the environment in which they use it.
  func prepare() throws -> [String: String] {
    try prepareFolder()
    var environment = ProcessInfo.processInfo.environment
    func add(_ variable: String, _ settings: [String]) {
      let all = [environment[variable]].compactMap { $0 } + settings
      environment[variable] = all.joined(separator: ":")
    }
    // Leaks leave the exit status alone; a memory error is a signal, which no program's status is.
    // A child that has the sanitizer's runtime as a library finds ours before it.
    add("ASAN_OPTIONS", ["detect_leaks=1", "abort_on_error=1", "verify_asan_link_order=0"])
    add(
      "LSAN_OPTIONS",
      [
        // It then names the threads once it has looked, and so says that it did. More it must not say
        // while it looks: a thread that was stopped as it wrote has the lock, and is waited for for ever.
        "exitcode=0", "log_threads=1", "verbosity=0", "print_suppressions=1", "print_summary=1",
        "color=never",
        // The toolchain's suppressions are for this unwinder's stacks: those of the other one go on to
        // XCTest's main function. These options are read after those of AddressSanitizer.
        "fast_unwind_on_malloc=1",
        "log_path='\(folder.appending(path: "report").path)'",
        "suppressions='\(folder.appending(path: "suppressions").path)'",
      ])
    // Swift's own backtrace of a program under AddressSanitizer takes minutes.
    environment["SWIFT_BACKTRACE"] = environment["SWIFT_BACKTRACE"] ?? "enable=no"
    environment["ASAN_SYMBOLIZER_PATH"] =
      environment["ASAN_SYMBOLIZER_PATH"] ?? toolchain.symbolizer
    do {
      let exit = try CleanExit(in: scratch, toolchain)
      environment["LD_PRELOAD"] = exit.preloaded(after: environment["LD_PRELOAD"])
    } catch {
      say("findleaks: a word of dead stack may hide a leak: \(error)")
    }
    return environment
  }

  private func prepareFolder() throws {
    if FileManager.default.fileExists(atPath: folder.path) {
      try FileManager.default.removeItem(at: folder)
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let text = Suppression.file(of: suppressions)
    try Data(text.utf8).write(to: folder.appending(path: "suppressions"))
  }

  /// What all processes of the run wrote.
  func report() throws -> SanitizerReport {
    var report = SanitizerReport()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    for name in names.sorted() where name.hasPrefix("report.") {
      let data = try Data(contentsOf: folder.appending(path: name))
      report.add(String(decoding: data, as: UTF8.self))
    }
    return report.renamed(try toolchain.demangled(report.functions, in: folder))
  }
}
