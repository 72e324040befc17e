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
