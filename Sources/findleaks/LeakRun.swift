import Foundation
import LeakReports
import RuntimeInspection
import SanitizerReports

/// A build and a run of the program or the tests under the sanitizers.
struct LeakRun {
  private let options: Options
  private let toolchain: Toolchain
  private let package: URL
  private let scratch: URL
  /// The folder of the files that the sanitizers read and write in this run. Each run first removes
  /// the folder with its contents, so its name must differ from every name that SwiftPM uses.
  private let folder: URL
  private let files: ReportFiles
  let suppressions: [Suppression]

  init(_ options: Options) throws {
    self.options = options
    toolchain = try Toolchain(swift: options.swift)
    package = URL(filePath: options.packagePath).standardizedFileURL.resolvingSymlinksInPath()
    let scratch =
      options.scratchPath.map { URL(filePath: $0).standardizedFileURL }
      ?? package.appending(path: ".build/findleaks")
    // A folder of its own: builds with different options in one folder rebuild everything each
    // time.
    self.scratch = options.countsHeap ? scratch.appending(path: "heap") : scratch
    folder = scratch.appending(path: ".findleaks-run")
    files = ReportFiles(options)
    var suppressions = try Suppression.toolchain
    for path in options.suppressions {
      guard let data = try? Data(contentsOf: URL(filePath: path)) else {
        throw LeakRunError("cannot read the suppression file '\(path)'", exitStatus: 64)
      }
      guard let text = String(data: data, encoding: .utf8) else {
        throw LeakRunError("the suppression file '\(path)' is not UTF-8 text", exitStatus: 65)
      }
      suppressions += try Suppression.all(in: text, file: path)
    }
    self.suppressions = suppressions
  }

  /// Writes the report files that the options name.
  func write(_ verdict: LeakVerdict, _ report: SanitizerReport) throws {
    try files.write(verdict, report, in: source)
  }

  var source: SourceRoot { SourceRoot(package.path) }

  /// Builds and runs the program or the tests, and reads the output of the sanitizers.
  func callAsFunction() throws -> (verdict: LeakVerdict, report: SanitizerReport) {
    try files.prepare()
    switch options.subject {
    case .product(let name):
      let product = try built(name)
      let (process, end) = try program(product, in: try prepare()).run()
      let report = try report()
      return (LeakVerdict(.program(process: process), end: end, report), report)
    case .tests:
      // The one program of all tests: `--build-tests` would also build every program of the
      // dependencies.
      try build(["--product", "\(try describe().name)PackageTests"])
      let (output, end) = try runTests(in: try prepare())
      let report = try report()
      return (LeakVerdict(.tests(output), end: end, report), report)
    }
  }
}

extension LeakRun {
  /// Returns the command that runs a product.
  private func program(_ product: String, in environment: [String: String]) throws -> Command {
    let path = try swift(["build", "--show-bin-path"]).output()
    guard path.end == .exited(0) else {
      throw LeakRunError("'swift build --show-bin-path' failed, so the program was not found")
    }
    let programs = path.text.trimmingCharacters(in: .whitespacesAndNewlines)
    var program = Command(
      program: URL(filePath: programs).appending(path: product),
      arguments: options.programArguments)
    program.environment = environment
    return program
  }

  private func runTests(
    in environment: [String: String]
  ) throws -> (output: TestRunOutput, end: RunEnd) {
    var tests = swift(["test", "--skip-build"], options.testArguments)
    tests.environment = environment
    var output = TestRunOutput()
    let end = try tests.run { data in
      FileHandle.standardOutput.write(data)
      output.add(data)
    }
    return (output, end)
  }

  private func build(_ what: [String]) throws {
    say("Building\(options.countsHeap ? "" : " with AddressSanitizer")…")
    let command = swift(["build"], what)
    var printed = Data()
    let end =
      try options.isVerbose ? command.run().end : command.run { printed.append($0) }
    guard end != .exited(0) else { return }
    FileHandle.standardError.write(printed)
    throw LeakRunError(
      "the package does not build\(options.countsHeap ? "" : " with --sanitize address")")
  }

  /// Builds a product; returns its name.
  private func built(_ name: String?) throws -> String {
    let product = try name ?? onlyExecutable()
    try build(["--product", product])
    return product
  }

  /// Returns the name of the only executable product of the package itself.
  private func onlyExecutable() throws -> String {
    let description = try describe()
    let names = description.products.filter(\.type.isExecutable).map(\.name).sorted()
    guard names.count == 1 else {
      throw LeakRunError(
        names.isEmpty
          ? "the package has no executable; --test runs its tests"
          : "the package has several executables; pass one with --product: "
            + names.joined(separator: ", "),
        exitStatus: 64)
    }
    return names[0]
  }

  private func describe() throws -> PackageDescription {
    var arguments = ["package", "--package-path", package.path, "--scratch-path", scratch.path]
    arguments += ["describe", "--type", "json"]
    let json = try Command(program: toolchain.swift, arguments: arguments).output()
    guard json.end == .exited(0),
      let description = try? JSONDecoder().decode(
        PackageDescription.self, from: Data(json.text.utf8))
    else {
      throw LeakRunError("'swift package describe' failed; run it in the package to see why")
    }
    return description
  }

  private func swift(_ command: [String], _ arguments: [String] = []) -> Command {
    let paths = ["--package-path", package.path, "--scratch-path", scratch.path]
    let sanitizer = options.countsHeap ? [] : ["--sanitize", "address"]
    let common = sanitizer + paths + options.buildArguments
    return Command(program: toolchain.swift, arguments: command + common + arguments)
  }
}

// MARK: Live objects

extension LeakRun {
  /// Builds the program without a sanitizer, runs it, and counts its live objects when it calls
  /// `exit` or returns from `main`.
  func heap() throws -> HeapSnapshot {
    guard case .product(let name) = options.subject else {
      fatalError("cannot count the objects of a test run; --heap needs a program")
    }
    let product = try built(name)
    var environment = ProcessInfo.processInfo.environment
    environment["LD_PRELOAD"] =
      try CleanExit(in: scratch, toolchain).preloaded(after: environment["LD_PRELOAD"])
    environment["FINDLEAKS_STOPS"] = "1"
    var snapshot: Result<HeapSnapshot, HeapUnavailable>?
    let end = try program(product, in: environment).run { process in
      snapshot = Result { () throws(HeapUnavailable) in
        try HeapSnapshot.take(ofProcess: process, timeout: .seconds(60))
      }
    }
    guard let snapshot else {
      let how =
        switch end {
        case .exited(let status): "exited with status \(status)"
        case .signalled(let signal): "ended with signal \(signal)"
        }
      throw LeakRunError(
        "the program \(how), but it neither called exit nor returned from main, so its live "
          + "objects could not be counted")
    }
    return try snapshot.get()
  }
}

// MARK: The folder of the sanitizers

extension LeakRun {
  /// Creates the folder; returns the environment in which the sanitizers use it.
  private func prepare() throws -> [String: String] {
    try prepareFolder()
    var environment = ProcessInfo.processInfo.environment
    func add(_ variable: String, _ settings: [String]) {
      let all = [environment[variable]].compactMap { $0 } + settings
      environment[variable] = all.joined(separator: ":")
    }
    // Leaks do not change the exit status (exitcode). A memory error ends the process by a signal,
    // which distinguishes it from an exit status of the program (abort_on_error). A child whose
    // sanitizer runtime is a library loads our preloaded library before that runtime, which
    // AddressSanitizer must accept (verify_asan_link_order).
    add("ASAN_OPTIONS", ["detect_leaks=1", "abort_on_error=1", "verify_asan_link_order=0"])
    add(
      "LSAN_OPTIONS",
      [
        // With log_threads, LeakSanitizer prints the threads after a check, which proves that it
        // checked. It must not print during the check, in which it stops all threads: if a stopped
        // thread was printing, that thread holds the lock, and LeakSanitizer would hang.
        "exitcode=0", "log_threads=1", "verbosity=0", "print_suppressions=1", "print_summary=1",
        "color=never",
        // The toolchain's suppressions assume the stacks of this unwinder. The stacks of the other
        // unwinder reach XCTest's main function, which would suppress all leaks of tests. This
        // option is here because LeakSanitizer reads these options after those of AddressSanitizer.
        "fast_unwind_on_malloc=1",
        "log_path='\(folder.appending(path: "report").path)'",
        "suppressions='\(folder.appending(path: "suppressions").path)'",
      ])
    // Swift's own backtrace is slow under AddressSanitizer.
    environment["SWIFT_BACKTRACE"] = environment["SWIFT_BACKTRACE"] ?? "enable=no"
    environment["ASAN_SYMBOLIZER_PATH"] =
      environment["ASAN_SYMBOLIZER_PATH"] ?? toolchain.symbolizer
    do {
      let exit = try CleanExit(in: scratch, toolchain)
      environment["LD_PRELOAD"] = exit.preloaded(after: environment["LD_PRELOAD"])
    } catch {
      say(
        "findleaks: an outdated value on the stack may hide a leak, because the stack will not be "
          + "cleared: \(error)")
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

  /// Reads the output of all processes of the run.
  private func report() throws -> SanitizerReport {
    var report = SanitizerReport()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    for name in names.sorted() where name.hasPrefix("report.") {
      let data = try Data(contentsOf: folder.appending(path: name))
      report.add(String(decoding: data, as: UTF8.self))
    }
    return report.renamed(try toolchain.demangled(report.functions, in: folder))
  }
}

/// The library to preload into the program. It clears the stack before the process ends, because
/// LeakSanitizer may mistake an outdated word on the stack for a reference.
private struct CleanExit {
  private let library: URL

  /// Builds the library.
  ///
  /// Every stack of the main thread contains the library's path, which a suppression could match.
  /// So the library is in the build folder, and its path contains no word that the paths of the
  /// program do not contain too.
  ///
  /// - Parameter scratch: The build folder of the program.
  init(in scratch: URL, _ toolchain: Toolchain) throws {
    library = scratch.appending(path: "main.so")
    // LD_PRELOAD is a list that separates paths by spaces and colons, and the loader expands "$".
    if library.path.utf8.contains(where: " :$".utf8.contains) {
      throw LeakRunError(
        "the path of a preloaded library cannot contain a space, ':' or '$', but "
          + "'\(library.path)' does; choose another --scratch-path")
    }
    guard let clang = toolchain.tool("clang") else {
      throw LeakRunError(
        "the toolchain has no clang, which builds a preloaded library; pass another driver with "
          + "--swift")
    }
    let source = scratch.appending(path: "main.c")
    let unfinished = scratch.appending(path: "main.so.unfinished")
    try Data(PackageResources.main_c).write(to: source)
    let command = Command(
      program: clang,
      arguments: ["-shared", "-fPIC", "-O1", "-w", source.path, "-o", unfinished.path])
    var printed = Data()
    let end = try command.run { printed.append($0) }
    guard end == .exited(0) else {
      let text = String(decoding: printed, as: UTF8.self)
        .trimmingCharacters(in: .whitespacesAndNewlines)
      throw LeakRunError("clang failed to build '\(source.path)': \(text)")
    }
    // Replaces the file instead of writing into it: another run may have loaded the old one.
    guard rename(unfinished.path, library.path) == 0 else {
      throw LeakRunError(
        "cannot write '\(library.path)': \(String(cString: strerror(errno)))")
    }
  }

  /// Returns the value of `LD_PRELOAD`. The library comes last, because `others` may contain a
  /// sanitizer's runtime, which must be first.
  func preloaded(after others: String?) -> String {
    ([others].compactMap { $0 } + [library.path]).joined(separator: ":")
  }
}

/// The part of the output of `swift package describe` that is used here.
private struct PackageDescription: Decodable {
  struct Product: Decodable {
    let name: String
    let type: Kind
  }

  struct Kind: Decodable {
    let isExecutable: Bool

    init(from decoder: any Decoder) throws {
      // The JSON object has one key, the kind of the product; the value of an executable is null.
      isExecutable = try decoder.container(keyedBy: Keys.self).contains(.executable)
    }

    private enum Keys: CodingKey {
      case executable
    }
  }

  let name: String
  let products: [Product]
}

/// A failure to check the program or the tests.
struct LeakRunError: Error, CustomStringConvertible {
  let description: String
  /// 64 for an option or a path that is not allowed, 65 for a malformed file, else 2.
  let exitStatus: Int32

  init(_ description: String, exitStatus: Int32 = 2) {
    self.description = description
    self.exitStatus = exitStatus
  }
}
