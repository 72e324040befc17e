import Foundation
import SanitizerReports

/// Builds what is looked at and runs it under the sanitizers.
struct LeakRun {
  private let options: Options
  let toolchain: Toolchain
  private let package: URL
  let scratch: URL
  /// Of this run: what the sanitizers read and write. Nobody else gives a folder this name, which is
  /// removed with all that is in it.
  let folder: URL
  private let files: ReportFiles
  let suppressions: [Suppression]

  init(_ options: Options) throws {
    self.options = options
    toolchain = try Toolchain(swift: options.swift)
    package = URL(filePath: options.packagePath).standardizedFileURL.resolvingSymlinksInPath()
    scratch =
      options.scratchPath.map { URL(filePath: $0).standardizedFileURL }
      ?? package.appending(path: ".build/findleaks")
    folder = scratch.appending(path: ".findleaks-run")
    files = ReportFiles(options)
    var suppressions = try Suppression.toolchain
    for path in options.suppressions {
      guard let text = try? String(contentsOf: URL(filePath: path), encoding: .utf8) else {
        throw LeakRunError("the suppressions '\(path)' cannot be read as text")
      }
      suppressions += try Suppression.all(in: text, file: path)
    }
    self.suppressions = suppressions
  }

  /// Writes the reports that are asked for.
  func write(_ verdict: LeakVerdict, _ report: SanitizerReport) throws {
    try files.write(verdict, report, in: source)
  }

  var source: SourceRoot { SourceRoot(package.path) }

  /// Builds, runs and reads what the sanitizers wrote.
  func callAsFunction() throws -> (verdict: LeakVerdict, report: SanitizerReport) {
    try files.prepare()
    switch options.subject {
    case .product(let name):
      let product = try name ?? onlyExecutable()
      try build(["--product", product])
      let (process, end) = try run(product, in: try prepare())
      let report = try report()
      return (LeakVerdict(.program(process: process), end: end, report), report)
    case .tests:
      try build(["--build-tests"])
      let (output, end) = try runTests(in: try prepare())
      let report = try report()
      return (LeakVerdict(.tests(output), end: end, report), report)
    }
  }
}

extension LeakRun {
  private func run(
    _ product: String, in environment: [String: String]
  ) throws -> (process: Int, end: RunEnd) {
    let path = try swift(["build", "--show-bin-path"]).output()
    guard path.end == .exited(0) else { throw LeakRunError("the build folder is not known") }
    let programs = path.text.trimmingCharacters(in: .whitespacesAndNewlines)
    var program = Command(
      program: URL(filePath: programs).appending(path: product),
      arguments: options.programArguments)
    program.environment = environment
    return try program.run()
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
    say("Building with AddressSanitizer…")
    let command = swift(["build"], what)
    var printed = Data()
    let end =
      try options.isVerbose ? command.run().end : command.run { printed.append($0) }
    guard end != .exited(0) else { return }
    FileHandle.standardError.write(printed)
    throw LeakRunError("the package does not build with --sanitize address")
  }

  /// The executable products of the package itself.
  private func onlyExecutable() throws -> String {
    var arguments = ["package", "--package-path", package.path, "--scratch-path", scratch.path]
    arguments += ["describe", "--type", "json"]
    let json = try Command(program: toolchain.swift, arguments: arguments).output()
    guard json.end == .exited(0),
      let description = try? JSONDecoder().decode(PackageProducts.self, from: Data(json.text.utf8))
    else { throw LeakRunError("the products of the package are not known") }
    let names = description.products.filter(\.type.isExecutable).map(\.name).sorted()
    guard names.count == 1 else {
      throw LeakRunError(
        names.isEmpty
          ? "the package has no executable; --test runs its tests"
          : "--product says which to run: \(names.joined(separator: ", "))")
    }
    return names[0]
  }

  private func swift(_ command: [String], _ arguments: [String] = []) -> Command {
    let paths = ["--package-path", package.path, "--scratch-path", scratch.path]
    let common = ["--sanitize", "address"] + paths + options.buildArguments
    return Command(program: toolchain.swift, arguments: command + common + arguments)
  }
}

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

/// The library that is preloaded into what runs: it clears the stack before the process ends, since the
/// sanitizer takes what a returned function left there for a reference, now and then.
struct CleanExit {
  private let library: URL

  /// Builds it.
  ///
  /// Its path is in every stack of the main thread, where a suppression could match it: it has no
  /// word more than the paths of what is run.
  ///
  /// - Parameter scratch: where that is built.
  init(in scratch: URL, _ toolchain: Toolchain) throws {
    library = scratch.appending(path: "main.so")
    // The loader's list has no way to quote them.
    if library.path.utf8.contains(where: " :$".utf8.contains) {
      throw LeakRunError("a preloaded library's path has a space, ':' or '$': \(library.path)")
    }
    guard let clang = toolchain.tool("clang") else {
      throw LeakRunError("the toolchain has no clang")
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
      throw LeakRunError("clang: \(end) \(text)")
    }
    // Not over one that another run has loaded.
    guard rename(unfinished.path, library.path) == 0 else {
      throw LeakRunError("'\(library.path)' cannot be written")
    }
  }

  /// The value of `LD_PRELOAD`: after what it already has, since a sanitizer's runtime has to be first.
  func preloaded(after others: String?) -> String {
    ([others].compactMap { $0 } + [library.path]).joined(separator: ":")
  }
}

/// What `swift package describe` says of the products of a package.
struct PackageProducts: Decodable {
  struct Product: Decodable {
    let name: String
    let type: Kind
  }

  struct Kind: Decodable {
    let isExecutable: Bool

    init(from decoder: any Decoder) throws {
      // The name of the kind, with null for executables.
      isExecutable = try decoder.container(keyedBy: Keys.self).contains(.executable)
    }

    private enum Keys: CodingKey {
      case executable
    }
  }

  let products: [Product]
}

/// Why leaks could not be looked for.
struct LeakRunError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
