import Testing

@testable import weakbench

/// What `--dry-run` shows.
@Suite struct PlanTableTests {
  private static let line = "--quick --collection dictionary --backend mutex --seed 5"

  private func lines(_ options: String) throws -> [String: String] {
    let text = PlanTable(plan: try RunPlan.of("\(Self.line) \(options)")).text
    let words = text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }
    return Dictionary(
      words.map { ("\($0[0])", $0[1].trimmingPrefix { $0 == " " }.description) },
      uniquingKeysWith: { one, _ in one })
  }

  @Test func `what is as always says nothing`() throws {
    let lines = try lines("")
    #expect(lines["subjects"] == "mutex" && lines["threads"] == "1, 4")
    for name in ["driver", "mode", "roles", "fork", "load_percent", "target_ops_per_second"] {
      #expect(lines[name] == nil)
    }
  }

  @Test(arguments: [
    ("--driver gcd", ["driver": "gcd"]),
    ("--roles writer=1,reader=2", ["roles": "reader=2 writer=1", "workload": "roles"]),
    ("--trials 4 --forks 3", ["fork": "1, 2, 3"]),
    ("--mode open", ["mode": "open", "load_percent": "50, 70, 90"]),
    ("--mode open --rate 900,20000", ["mode": "open", "target_ops_per_second": "900.0, 20000.0"]),
  ])
  func `what somebody asked for is listed`(_ options: String, _ expected: [String: String]) throws {
    let lines = try lines(options)
    for (name, values) in expected { #expect(lines[name] == values, "\(name)") }
  }
}
