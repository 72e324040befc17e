import ProgramTesting
import LeakMonitoring
import Testing

@testable import leakwatch

private final class Model {}

/// Runs the program `leakwatch bindings`.
@Suite(.enabled(if: TestedProgram.leakwatch.isBuilt)) struct BindingsProgramTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    // In a release build the monitor is disabled by default.
    MemoryLeakMonitor.isEnabled = true
  }

  @Test func `1.5 the last report is shown, and a mistake sets the exit status`() async throws {
    let file = try folder.file("bindings.jsonl", containing: "")
    let none = try await run()
    #expect(none.status == 2 && none.output.isEmpty && none.errors.contains("has no report yet"))
    let (analyzer, model) = (BindingAnalyzer(), Model())
    analyzer.registerBinding(model, named: "profile")
    try analyzer.report.append(toFile: file)
    let bound = try await run()
    #expect(bound.status == 0 && bound.output == analyzer.report.text + "\n")
    analyzer.registerUnbinding(model)
    try analyzer.report.append(toFile: file)
    let surviving = try await run()
    #expect(surviving.status == 1 && surviving.output == analyzer.report.text + "\n")
    #expect(surviving.errors == "leakwatch: some bindings were not released correctly\n")
    withExtendedLifetime(model) {}
  }

  @Test func `1.5 a damaged file is reported with line and column, and a missing file is an error`()
    async throws
  {
    #expect(try await run().status == 64)
    _ = try folder.file("bindings.jsonl", containing: "\n{\"schema\":")
    let cut = try await run()
    #expect(cut.status == 65)
    #expect(cut.errors == "leakwatch: bindings.jsonl:2:11: expected a value\n")
  }

  private func run() async throws -> TestedProgram.Outcome {
    try await TestedProgram.leakwatch.run("bindings bindings.jsonl", in: folder)
  }
}
