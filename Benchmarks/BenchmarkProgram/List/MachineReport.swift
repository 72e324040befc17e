import BenchmarkCommands
import Benchmarking
import Charts
import Choosing
import Measurements
import Reporting
import TerminalIO

/// The machine, its present conditions and the costs of measuring on it, for `list --machine`.
struct MachineReport: Encodable, Sendable {
  let machine: String
  let cpu: String?
  let cores: Int
  let hostCores: Int?
  let os: String?
  let kernel: String?
  let swift: String
  let mutexFlavor: String?
  let allocator: String
  let build: String
  let loadPerCore: Double?
  let governor: String?
  let isOnBattery: Bool?
  let stolenFraction: Double?
  let clockNanoseconds: Double
  let clockStepNanoseconds: Double?
  let loopNanoseconds: Double
  let handWrittenLoopNanoseconds: Double
  let hasRunQueueWait: Bool
  let countsCycles: Bool
  let countsInstructions: Bool
  let countsCacheMisses: Bool

  init(
    _ environment: Measurement.Environment, _ conditions: MachineConditions,
    _ costs: MeasuringCosts, _ contention: MeasuredContention
  ) {
    machine = environment.machine
    cpu = environment.cpu
    cores = environment.cores
    hostCores = environment.hostCores
    os = environment.os
    kernel = environment.kernel
    swift = environment.swift
    mutexFlavor = environment.mutexFlavor
    allocator = environment.allocator
    build = environment.buildConfiguration
    loadPerCore = conditions.loadPerCore
    governor = conditions.governor
    isOnBattery = conditions.isOnBattery
    stolenFraction = conditions.stolenFraction
    clockNanoseconds = costs.clockNanoseconds
    clockStepNanoseconds = costs.clockStepNanoseconds
    loopNanoseconds = costs.harness.genericNanoseconds
    handWrittenLoopNanoseconds = costs.harness.handWrittenNanoseconds
    hasRunQueueWait = contention.hasRunQueueWait
    countsCycles = contention.countsCycles
    countsInstructions = contention.countsInstructions
    countsCacheMisses = contention.countsCacheMisses
  }

  /// The report as JSON; unknown values are null.
  var json: String { PrettyJSON.text(of: self) }

  var text: String {
    let rows = [
      ["machine", machine], ["processor", cpu ?? NumberText.missing],
      ["cores", "\(cores) of \(hostCores.map { "\($0)" } ?? NumberText.missing)"],
      ["system", os ?? NumberText.missing], ["kernel", kernel ?? NumberText.missing],
      ["compiler", "\(swift), \(build)"], ["mutex", mutexFlavor ?? NumberText.missing],
      ["allocator", allocator], ["load of the last minute", amount(loadPerCore, "a core")],
      ["frequency governor", governor ?? NumberText.missing],
      ["power", isOnBattery.map { $0 ? "battery" : "mains" } ?? NumberText.missing],
      ["time given to other guests", amount(stolenFraction.map { 100 * $0 }, "%")],
      ["a reading of the clock", amount(clockNanoseconds, "ns")],
      ["a step of the clock", amount(clockStepNanoseconds, "ns")],
      ["a read through the benchmark's loop", amount(loopNanoseconds, "ns")],
      ["the same in a hand-written loop", amount(handWrittenLoopNanoseconds, "ns")],
      ["waits for a core and for locks", hasRunQueueWait ? "measured" : "n/a"],
      ["hardware counters", hardwareCounters.isEmpty ? "n/a" : hardwareCounters],
    ]
    return TextTable(columns: [.init(), .init()], rows: rows).lines.joined(separator: "\n")
  }

  private var hardwareCounters: String {
    let events = [
      (countsCycles, "cycles"), (countsInstructions, "instructions"),
      (countsCacheMisses, "cache misses"),
    ]
    return events.filter(\.0).map(\.1).joined(separator: ", ")
  }

  private func amount(_ value: Double?, _ unit: String) -> String {
    value == nil ? NumberText.missing : "\(NumberText.amount(value)) \(unit)"
  }
}

/// The costs of measuring on this machine.
struct MeasuringCosts: Sendable {
  let clockNanoseconds: Double
  let clockStepNanoseconds: Double?
  let harness: HarnessCost

  /// Measures the costs of the clock and of the loop.
  static func measure() async -> MeasuringCosts {
    MeasuringCosts(
      clockNanoseconds: Benchmarking.Clock.costNanoseconds,
      clockStepNanoseconds: Benchmarking.Clock.stepNanoseconds,
      harness: await HarnessCost.measure())
  }
}
