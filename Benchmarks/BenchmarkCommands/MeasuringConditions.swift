import Benchmarking
import Charts
import Foundation
import Reporting
import TerminalIO

/// The present conditions that make figures of the same code vary.
///
/// A condition is `nil` if the system does not report it.
package struct MachineConditions: Equatable, Sendable {
  /// The average number of runnable threads in the last minute, per usable core.
  package var loadPerCore: Double?
  /// The frequency governor of the cores, such as `powersave`.
  package var governor: String?
  /// The frequency driver, such as `acpi-cpufreq`.
  package var frequencyDriver: String?
  package var isOnBattery: Bool?
  /// The fraction of the cores' time that the host gave to other guests during the observation.
  package var stolenFraction: Double?

  package init(
    loadPerCore: Double? = nil, governor: String? = nil, frequencyDriver: String? = nil,
    isOnBattery: Bool? = nil, stolenFraction: Double? = nil
  ) {
    self.loadPerCore = loadPerCore
    self.governor = governor
    self.frequencyDriver = frequencyDriver
    self.isOnBattery = isOnBattery
    self.stolenFraction = stolenFraction
  }

  package static let busyLoadPerCore = 0.5
  /// The smallest stolen fraction with a warning.
  ///
  /// The observation is short and has only a few ticks, so a smaller fraction may be chance.
  package static let noticedStolenFraction = 0.05

  /// One line for each reason to measure at another time.
  package var warnings: [String] {
    var lines: [String] = []
    if let loadPerCore, loadPerCore > Self.busyLoadPerCore {
      lines.append(
        "the machine is busy: its load is \(NumberText.amount(loadPerCore)) per core in the last "
          + "minute, in which a build counts as well; figures will vary")
    }
    // The drivers named *pstate use this name for a governor that adapts the frequency to the load.
    if governor == "powersave" && frequencyDriver?.contains("pstate") != true {
      lines.append("the frequency governor is 'powersave'; figures will vary")
    }
    if isOnBattery == true { lines.append("the machine runs on battery; figures will vary") }
    if let stolenFraction, stolenFraction > Self.noticedStolenFraction {
      lines.append(
        "the host gave \(NumberText.amount(100 * stolenFraction)) % of the cores' time to other guests; "
          + "figures will vary")
    }
    return lines
  }

  /// Returns the present conditions.
  ///
  /// - Parameters:
  ///   - times: The processor times at the start of the observation.
  ///   - cores: The number of usable cores.
  package static func current(since times: ProcessorTimes?, cores: Int) -> MachineConditions {
    MachineConditions(
      loadPerCore: MachineFacts.loadOfLastMinute.map { $0 / Double(cores) },
      governor: text(of: "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
      frequencyDriver: text(of: "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"),
      isOnBattery: isOnBattery(supplies: "/sys/class/power_supply"),
      stolenFraction: times.flatMap { processorTimes?.stolenFraction(since: $0) })
  }

  package static var processorTimes: ProcessorTimes? {
    text(of: "/proc/stat").flatMap(ProcessorTimes.init(inStatistics:))
  }

  /// Returns whether the machine's battery is discharging; batteries of devices such as a mouse do
  /// not count.
  ///
  /// - Returns: `nil` if the folder of power supplies is missing or empty.
  package static func isOnBattery(supplies folder: String) -> Bool? {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder), !names.isEmpty
    else { return nil }
    return names.contains { name in
      text(of: "\(folder)/\(name)/status") == "Discharging"
        && text(of: "\(folder)/\(name)/scope") != "Device"
    }
  }

  /// Returns the trimmed contents of a file, or `nil` if it cannot be read or is empty.
  private static func text(of path: String) -> String? {
    guard let contents = FileManager.default.contents(atPath: path) else { return nil }
    let text = String(decoding: contents, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return text.isEmpty ? nil : text
  }
}

/// The time that the cores have spent since the start of the system, in ticks.
package struct ProcessorTimes: Equatable, Sendable {
  package var total: Int
  /// The ticks in which the host ran other guests, while a thread of this system was runnable.
  package var stolen: Int

  /// Parses the first line of Linux's `/proc/stat`, or returns `nil` if it is malformed.
  ///
  /// Its columns are user, nice, system, idle, iowait, irq, softirq, steal, and two that user
  /// already includes.
  package init?(inStatistics text: String) {
    guard let line = text.split(separator: "\n").first, line.hasPrefix("cpu ") else { return nil }
    let ticks = line.split(separator: " ").dropFirst().compactMap { Int($0) }
    guard ticks.count >= 8 else { return nil }
    total = ticks.prefix(8).reduce(0, +)
    stolen = ticks[7]
  }

  /// Returns the fraction of ticks stolen since `earlier`, or `nil` if no tick has passed.
  package func stolenFraction(since earlier: ProcessorTimes) -> Double? {
    let passed = total - earlier.total
    return passed > 0 ? Double(max(0, stolen - earlier.stolen)) / Double(passed) : nil
  }
}
