extension LeakReport {
  private static let listedSurvivors = 5
  private static let listedFrames = 6
  private static let listedSamples = 8

  /// The message, then the instances that live with their ages, who made them and who holds them, how their number came
  /// about, and what it cost to know.
  ///
  /// - Complexity: slow, as `CreationBacktrace.frames` is, for each instance that it lists.
  public var text: String {
    let lines = [message, "  found at \(site.fileID):\(site.line)"] + survivorLines + historyLines
    return (lines + (monitorCost.map { ["  \(Self.line(of: $0))"] } ?? [])).joined(separator: "\n")
  }

  private var survivorLines: [String] {
    let listed = survivors.prefix(Self.listedSurvivors)
    guard !listed.isEmpty else { return [] }
    let lines = zip(1..., listed).flatMap { number, survivor in
      ["  \(number). \(Self.line(of: survivor))"]
        + (Self.frames(of: survivor) + survivor.holderLines).map { "       \($0)" }
    }
    return ["  alive, the oldest first:"] + lines
      + Self.more(aliveCount - listed.count).map { "  \($0)" }
  }

  /// Of those that were too many and are gone, what was told is no longer alive.
  private var aliveCount: Int {
    state == .late ? survivors.count : Swift.max(liveCount, survivors.count)
  }

  private var historyLines: [String] {
    guard !history.isEmpty else { return [] }
    let hidden = Self.more(history.count - Self.listedSamples).map { "\($0) before" }
    let samples = history.suffix(Self.listedSamples).map { sample in
      "\(sample.liveCount) after \(Self.seconds(sample.time))"
    }
    return ["  the count: " + (hidden + samples).joined(separator: ", ")]
  }

  private static func line(of survivor: LeakSurvivor) -> String {
    let site = survivor.site.map { ", from \($0.fileID):\($0.line)" } ?? ""
    return "\(survivor.description), \(seconds(survivor.age)) old\(site)"
  }

  private static func frames(of survivor: LeakSurvivor) -> [String] {
    let frames = survivor.backtrace?.frames ?? []
    return frames.prefix(listedFrames) + more(frames.count - listedFrames)
  }

  private static func line(of cost: MonitorCost) -> String {
    "the monitor took \(decimal(cost.total / .microseconds(1))) µs for \(cost.validations) objects "
      + "and \(cost.backtraces) backtraces until now"
  }

  private static func more(_ count: Int) -> [String] {
    count > 0 ? ["and \(count) more"] : []
  }

  private static func seconds(_ duration: Duration) -> String {
    "\(decimal(duration / .seconds(1))) s"
  }

  /// With one digit after the point.
  private static func decimal(_ number: Double) -> String {
    "\((number * 10).rounded(.down) / 10)"
  }
}
