import BenchmarkCommands
import Benchmarking
import Foundation
import Measurements
import ProgramTesting
import TerminalIO
import Testing
import WeakCollections
import Workloads

@testable import BenchmarkProgram

@Suite struct InventoryTests {
  @Test func `JSON reads back equal`() throws {
    let data = Data(Inventory.complete.json.utf8)
    #expect(try JSONDecoder().decode(Inventory.self, from: data) == .complete)
  }

  @Test func `every backend is listed with its trait and type, for every collection`() throws {
    let lines = Inventory.complete.text.split(separator: "\n").map(String.init)
    #expect(!lines.contains { $0.contains("subject") })
    for collection in CollectionKind.allCases {
      for backend in Backend.supporting(collection) {
        let type = backend.typeName(for: collection)
        #expect(
          lines.contains {
            $0.hasPrefix(backend.rawValue) && $0.contains(" backend ") && $0.contains(backend.trait)
              && $0.contains(type)
          })
      }
      for workload in Workload.all(for: collection.subject) {
        #expect(
          lines.contains { $0.hasPrefix(workload.name) && $0.contains("\(workload.mix)") })
      }
    }
  }

  @Test func `a dictionary's keys are listed, and so that they can be asked for`() throws {
    for collection in Inventory.complete.collections {
      let isKeyed = collection.name == "dictionary"
      #expect(collection.distributions.isEmpty != isKeyed)
      #expect(collection.entries.isEmpty != isKeyed)
      #expect(collection.workloads.allSatisfy { ($0.keys != nil) == isKeyed })
      for entries in collection.entries {
        let line =
          "--collection dictionary --keys \(entries.key) --values \(entries.value) --quick "
        let keys = collection.distributions.map(\.name).joined(separator: ",")
        let trials = try RunPlan.of(line + "--key-distribution \(keys)").trials
        #expect(Set(trials.map(\.configuration.keyDistribution)).count == 6)
        #expect(Set(trials.map(\.configuration.keyType)).count == 1)
      }
    }
  }

  @Test func `one backend of each collection is the default`() {
    for collection in Inventory.complete.collections {
      #expect(collection.contestants.filter(\.isDefault).count == 1)
    }
  }

  @Test func `the workloads of quick exist`() {
    for collection in Inventory.complete.collections {
      #expect(collection.workloads.filter(\.isQuick).count == 3)
    }
  }
}

@Suite struct MachineTests {
  @Test func `times of the cores are read as Linux writes them`() throws {
    let before = try #require(
      ProcessorTimes(inStatistics: "cpu  100 0 50 800 10 0 5 35 7 0\ncpu0 1 2 3\n"))
    #expect(before.total == 1000 && before.stolen == 35)
    let after = try #require(
      ProcessorTimes(inStatistics: "cpu  150 0 50 830 10 0 5 55 7 0\n"))
    #expect(after.stolenFraction(since: before) == 0.2)
    #expect(before.stolenFraction(since: before) == nil)
  }

  @Test(arguments: ["", "cpu0 1 2 3 4 5 6 7 8", "cpu  1 2 3", "intr 5"])
  func `other texts have no times`(_ text: String) {
    #expect(ProcessorTimes(inStatistics: text) == nil)
  }

  @Test func `there is a warning for each reason, and none for what is not known`() {
    #expect(MachineConditions().warnings.isEmpty)
    let calm = MachineConditions(
      loadPerCore: 0.5, governor: "performance", isOnBattery: false, stolenFraction: 0.03)
    #expect(calm.warnings.isEmpty)
    let bad = MachineConditions(
      loadPerCore: 0.75, governor: "powersave", isOnBattery: true, stolenFraction: 0.123)
    #expect(bad.warnings.count == 4)
    #expect(bad.warnings[0].contains("its load is 0.75 per core in the last minute"))
    #expect(bad.warnings[3].contains("12.3 %"))
    let byNeed = MachineConditions(governor: "powersave", frequencyDriver: "intel_pstate")
    #expect(byNeed.warnings.isEmpty)
  }

  @Test func `a battery that is discharged powers the machine`() throws {
    let folder = try TemporaryFolder()
    #expect(MachineConditions.isOnBattery(supplies: folder.path) == nil)
    for (supply, status) in [("AC", nil), ("BAT0", "Charging\n")] {
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/\(supply)", withIntermediateDirectories: true)
      try status?.write(
        toFile: "\(folder.path)/\(supply)/status", atomically: true, encoding: .utf8)
    }
    #expect(MachineConditions.isOnBattery(supplies: folder.path) == false)
    try "Discharging\n".write(
      toFile: "\(folder.path)/BAT0/status", atomically: true, encoding: .utf8)
    #expect(MachineConditions.isOnBattery(supplies: folder.path) == true)
    #expect(MachineConditions.isOnBattery(supplies: "\(folder.path)/nowhere") == nil)
    // That of a mouse.
    try "Device\n".write(
      toFile: "\(folder.path)/BAT0/scope", atomically: true, encoding: .utf8)
    #expect(MachineConditions.isOnBattery(supplies: folder.path) == false)
  }

  @Test func `the clock costs something and goes on in steps`() throws {
    #expect(Benchmarking.Clock.costNanoseconds > 0)
    #expect(try #require(Benchmarking.Clock.stepNanoseconds) >= 1)
  }
}

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
