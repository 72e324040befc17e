import Testing
import Workloads

struct KeyDistributionTextTests {
  @Test(arguments: [
    ("uniform", KeyDistribution.uniform, "uniform"),
    ("zipfian", .zipfian(theta: 0.99), "zipfian:0.99"),
    ("zipfian:1", .zipfian(theta: 1), "zipfian:1.0"),
    ("scrambled-zipfian:0.5", .scrambledZipfian(theta: 0.5), "scrambled-zipfian:0.5"),
    ("latest", .latest(theta: 0.99), "latest:0.99"),
    ("hotspot", .hotspot(keys: 20, operations: 80), "hotspot:20/80"),
    ("hotspot:1/99", .hotspot(keys: 1, operations: 99), "hotspot:1/99"),
    ("single-key", .singleKey, "single-key"),
  ])
  func `what is typed is a distribution, and its text that again`(
    _ typed: String, _ expected: KeyDistribution, _ text: String
  ) throws {
    let distribution = try KeyDistribution(parsing: typed)
    #expect(distribution == expected)
    #expect(distribution.description == text)
    #expect(try KeyDistribution(parsing: text) == expected)
    #expect(distribution.summary.hasSuffix("."))
  }

  @Test(arguments: [
    "uniform:1", "zipfian:", "zipfian:0", "zipfian:-1", "zipfian:11", "zipfian:1e0", "zipfian:nan",
    "zipfian:0.5:1", "hotspot:20", "hotspot:0/80", "hotspot:100/80", "hotspot:20/101",
    "hotspot:20/80/1", "hotspot:/", "single-key:3",
  ])
  func `parameters that are not allowed are refused with those that are`(_ text: String) throws {
    let error = WorkloadError.malformedKeyDistribution(text)
    #expect(throws: error) { try KeyDistribution(parsing: text) }
    #expect(error.description.hasPrefix("'\(text)' is no distribution (allowed: uniform, zipfian:"))
  }

  @Test(arguments: ["zipfain", "zipf", ""])
  func `an unknown name is refused with the nearest`(_ text: String) throws {
    let error = WorkloadError.unknownKeyDistribution(text)
    #expect(throws: error) { try KeyDistribution(parsing: text) }
    let meant = text.isEmpty ? "" : "; did you mean zipfian?"
    #expect(
      error.description == "unknown distribution '\(text)'\(meant) "
        + "(allowed: uniform, zipfian, scrambled-zipfian, latest, hotspot, single-key)")
  }
}
