import TerminalIO
import ProgramTesting
import Benchmarking
import Foundation
import Measurements
import Testing

@testable import weakbench

@Suite struct EnvironmentTests {
  private static let facts = MachineFacts(
    cpu: "Intel(R) Xeon(R) CPU E5-2673 v4 @ 2.30GHz", memoryBytes: 8_200_000_000,
    os: "Ubuntu 24.04.1 LTS", kernel: "Linux 6.18")

  @Test func `the label is made of processor, cores, memory and system`() {
    #expect(
      MachineLabel.text(for: Self.facts, cores: 4) == "intel-xeon-e5-2673-v4-4c-8gib-ubuntu-24")
    let unknown = MachineFacts(cpu: nil, memoryBytes: 1, os: nil, kernel: nil)
    #expect(MachineLabel.text(for: unknown, cores: 1) == "unknown-cpu-1c-1gib-unknown-os")
  }

  @Test func `facts are read as the kernel and the system write them`() {
    let cpu = "processor\t: 0\nmodel\t\t: 2\nmodel name\t: AMD EPYC\nmodel name\t: other\n"
    #expect(MachineFacts.cpu(inCPUInfo: cpu) == "AMD EPYC")
    #expect(MachineFacts.cpu(inCPUInfo: "BogoMIPS: 50\n") == nil)
    let os = "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"
    #expect(MachineFacts.os(inRelease: os) == "Debian GNU/Linux 12 (bookworm)")
    #expect(MachineFacts.os(inRelease: "") == nil)
  }

  @Test func `the host's name is in no field`() {
    let environment = EnvironmentProbe.environment(machine: nil)
    let fields = [
      environment.machine, environment.cpu, environment.os, environment.kernel,
      environment.commit, environment.swift,
    ]
    let host = ProcessInfo.processInfo.hostName.lowercased()
    // A host that is called what its system is called gives nothing away.
    guard environment.os?.lowercased().contains(host) != true else { return }
    for field in fields.compactMap({ $0?.lowercased() }) {
      #expect(!field.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.contains { $0 == host })
      #expect(host.count < 4 || !field.contains(host))
    }
  }

  @Test func `it is the same each time, and fits in a row`() {
    let environment = EnvironmentProbe.environment(machine: nil)
    #expect(environment == EnvironmentProbe.environment(machine: nil))
    var row = Measurement.example(1)
    row.environment = environment
    #expect(MeasurementCSV.invalidColumn(in: row) == nil)
    #expect(EnvironmentProbe.environment(machine: "lab-1").machine == "lab-1")
  }

  @Test(arguments: ["123", "1e5", "", "a b", "a,b", "é", "inf"])
  func `a machine's name that is a number, or needs quoting, is refused`(_ name: String) throws {
    let error = try commandError { try EnvironmentProbe.check(machine: name) }
    #expect(error.status == .usage)
    #expect(error.description.contains("allowed: letters"))
  }

  @Test func `the commit is a hash with a letter before it, and none without a checkout`() throws {
    let folder = try TemporaryFolder()
    #expect(SourceCommit.name(sourceFile: "\(folder.path)/a/b/c.swift") == nil)
    if let commit = SourceCommit.name() {
      #expect(commit.wholeMatch(of: /g[0-9a-f]{7,40}(-dirty)?/) != nil)
    }
  }

  @Test func `the compiler is named as in the rows`() {
    #expect(CompilerVersion.name.hasPrefix("swift-6."))
  }
}
