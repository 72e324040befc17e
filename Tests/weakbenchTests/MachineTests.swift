import ProgramTesting
import BenchmarkCommands
import Benchmarking
import Foundation
import Testing

@testable import weakbench

@Suite struct MachineTests {
  @Test func `times of the cores are read as Linux writes them`() throws {
    let before = try #require(
      ProcessorTimes(inStatistics: "cpu  100 0 50 800 10 0 5 35 7 0\ncpu0 1 2 3\n"))
    #expect(before.total == 1000 && before.stolen == 35)
    let after = try #require(
      ProcessorTimes(inStatistics: "cpu  150 0 50 830 10 0 5 55 7 0\n"))
    #expect(after.stolenPart(since: before) == 0.2)
    #expect(before.stolenPart(since: before) == nil)
  }

  @Test(arguments: ["", "cpu0 1 2 3 4 5 6 7 8", "cpu  1 2 3", "intr 5"])
  func `other texts have no times`(_ text: String) {
    #expect(ProcessorTimes(inStatistics: text) == nil)
  }

  @Test func `there is a warning for each reason, and none for what is not known`() {
    #expect(MachineConditions().warnings.isEmpty)
    let calm = MachineConditions(
      loadPerCore: 0.5, governor: "performance", isOnBattery: false, stolenPart: 0.03)
    #expect(calm.warnings.isEmpty)
    let bad = MachineConditions(
      loadPerCore: 0.75, governor: "powersave", isOnBattery: true, stolenPart: 0.123)
    #expect(bad.warnings.count == 4)
    #expect(bad.warnings[0].contains("its load is 0.75 a core"))
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
