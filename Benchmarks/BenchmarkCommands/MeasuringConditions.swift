import Benchmarking
import Charts
import Foundation
import Reporting
import TerminalIO

/// Keeps times of builds that nobody ships out of the results.
package enum BuildFitness {
  /// For a command of weakbench, and the script that builds it right, if there is one.
  package static func check(
    allowsUnoptimized: Bool, command: String = "run", script: String? = "scripts/bench"
  ) throws(CommandError) {
    guard !BuildKind.isFitForMeasuring && !allowsUnoptimized else { return }
    throw refusal(
      of: BuildKind.name, command: command, script: script,
      arguments: Array(CommandLine.arguments.dropFirst(2)))
  }

  /// `arguments` are those after the command.
  package static func refusal(
    of build: String, program: String = Console.programName, command: String = "run",
    script: String? = "scripts/bench",
    arguments: [String]
  ) -> CommandError {
    let words = arguments.map { " \($0.quotedForShell)" }.joined()
    let release = "swift run -c release \(program) \(command)\(words)"
    let advice =
      script.map { "\($0)\(words) (or: \(release); --allow-unoptimized runs it anyway)" }
      ?? "\(release) (--allow-unoptimized runs it anyway)"
    return .usage("this is a \(build) build, whose times mean nothing; type: \(advice)")
  }
}

/// What may make the same code take another time here in a minute. What the system does not say is nil.
package struct MachineConditions: Equatable, Sendable {
  /// How many threads wanted to run in the last minute, on average, for each usable core.
  package var loadPerCore: Double?
  /// How the cores' frequency is chosen, such as `powersave`.
  package var governor: String?
  /// Who chooses it, such as `acpi-cpufreq`.
  package var frequencyDriver: String?
  package var isOnBattery: Bool?
  /// The part of the cores' time that the host gave to others, while it was looked at.
  package var stolenPart: Double?

  package init(
    loadPerCore: Double? = nil, governor: String? = nil, frequencyDriver: String? = nil,
    isOnBattery: Bool? = nil, stolenPart: Double? = nil
  ) {
    self.loadPerCore = loadPerCore
    self.governor = governor
    self.frequencyDriver = frequencyDriver
    self.isOnBattery = isOnBattery
    self.stolenPart = stolenPart
  }

  package static let busyLoadPerCore = 0.5
  /// A third of a second, which it is looked at for, has 67 ticks on two cores; less are chance.
  package static let noticedStolenPart = 0.05

  /// A line for each reason to wait for a better time.
  package var warnings: [String] {
    var lines: [String] = []
    if let loadPerCore, loadPerCore > Self.busyLoadPerCore {
      lines.append(
        "the machine is busy: its load is \(NumberText.amount(loadPerCore)) a core; figures will vary"
      )
    }
    // The drivers named *pstate call so what chooses by need.
    if governor == "powersave" && frequencyDriver?.contains("pstate") != true {
      lines.append("the cores' frequency is governed by 'powersave'; figures will vary")
    }
    if isOnBattery == true { lines.append("the machine runs on battery; figures will vary") }
    if let stolenPart, stolenPart > Self.noticedStolenPart {
      lines.append(
        "the host gave \(NumberText.amount(100 * stolenPart)) % of the cores' time to others; "
          + "figures will vary")
    }
    return lines
  }

  /// As they are now; `times` are those at the start of the time that is looked at.
  package static func current(since times: ProcessorTimes?, cores: Int) -> MachineConditions {
    MachineConditions(
      loadPerCore: MachineFacts.loadOfLastMinute.map { $0 / Double(cores) },
      governor: text(of: "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
      frequencyDriver: text(of: "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"),
      isOnBattery: isOnBattery(supplies: "/sys/class/power_supply"),
      stolenPart: times.flatMap { processorTimes?.stolenPart(since: $0) })
  }

  package static var processorTimes: ProcessorTimes? {
    text(of: "/proc/stat").flatMap(ProcessorTimes.init(inStatistics:))
  }

  /// Whether a battery is being discharged, other than that of a mouse; nil without a folder of supplies, or an empty one.
  package static func isOnBattery(supplies folder: String) -> Bool? {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder), !names.isEmpty
    else { return nil }
    return names.contains { name in
      text(of: "\(folder)/\(name)/status") == "Discharging"
        && text(of: "\(folder)/\(name)/scope") != "Device"
    }
  }

  /// Without what stands around it; nil if it cannot be read, or is empty.
  private static func text(of path: String) -> String? {
    guard let contents = FileManager.default.contents(atPath: path) else { return nil }
    let text = String(decoding: contents, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return text.isEmpty ? nil : text
  }
}

/// What the cores have spent their time on since the system started, in ticks.
package struct ProcessorTimes: Equatable, Sendable {
  package var total: Int
  /// For other guests of the same host, while somebody here wanted to run.
  package var stolen: Int

  /// As the first line of Linux's `/proc/stat` has it: user, nice, system, idle, iowait, irq, softirq,
  /// steal, and two that are in user already.
  package init?(inStatistics text: String) {
    guard let line = text.split(separator: "\n").first, line.hasPrefix("cpu ") else { return nil }
    let ticks = line.split(separator: " ").dropFirst().compactMap { Int($0) }
    guard ticks.count >= 8 else { return nil }
    total = ticks.prefix(8).reduce(0, +)
    stolen = ticks[7]
  }

  /// The part that was stolen since `earlier`; `nil` if no tick has passed.
  package func stolenPart(since earlier: ProcessorTimes) -> Double? {
    let passed = total - earlier.total
    return passed > 0 ? Double(max(0, stolen - earlier.stolen)) / Double(passed) : nil
  }
}
