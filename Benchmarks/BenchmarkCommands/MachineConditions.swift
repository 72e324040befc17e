import Benchmarking
import Charts
import Foundation
import Reporting

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
