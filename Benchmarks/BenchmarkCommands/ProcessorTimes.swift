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
