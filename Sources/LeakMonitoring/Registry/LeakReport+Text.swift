import RuntimeInspection

extension LeakReport {
  /// One line for people.
  public var message: String {
    switch state {
    case .leaked: "\(description): \(observation)"
    case .retainedByRunningTask: "\(description): \(observation), retained by a running task"
    case .late: "\(description): \(resolution), later than the grace period"
    case .allowed: "\(description): \(observation) (allowed)"
    case .longLived: "\(description): \(observation) (long-lived)"
    }
  }

  private var observation: String {
    switch finding {
    case .excess(nil):
      "\(excess); if one of them is about to die, as in a reassignment, "
        + "validate(self, grace: .seconds(1)) or MemoryLeakMonitor.policy = .graced() waits for that"
    case .excess(let duration?): "\(excess), still after \(duration)"
    case .survivor(let duration):
      "an instance of \(typeName) is alive, expected to be gone within \(duration)"
    case .growth(let counts):
      "the number of instances of \(typeName) grew with each repetition: "
        + counts.map(String.init).joined(separator: ", ")
    case .unbinding:
      "an instance of \(typeName) was unbound, expected to stay bound since it is long-lived"
    }
  }

  private var excess: String {
    "\(liveCount) \(liveCount == 1 ? "instance" : "instances") of \(counted) "
      + "\(liveCount == 1 ? "is" : "are") alive, expected at most \(max)"
  }

  /// The class or group that is counted.
  private var counted: String { group.map { "the group \($0)" } ?? typeName }

  private var resolution: String {
    switch finding {
    case .excess, .growth: "the instances of \(counted) that were too many are gone"
    case .survivor: "the instance of \(typeName) that was expected to be gone is gone"
    case .unbinding: "the instance of \(typeName) that was unbound is bound"
    }
  }
}

// MARK: - Holders

extension LeakReport {
  /// The message and the retain paths that were found, with a line for each step.
  package var messageWithHolders: String {
    ([message] + holderLines.map { "  \($0)" }).joined(separator: "\n")
  }

  /// The holders of the live instances; empty if the monitor did not search.
  package var holderLines: [String] {
    let found = survivors.filter { $0.retainFinding != nil }
    return zip(1..., found).flatMap { number, survivor in
      (found.count > 1 ? ["\(number). \(survivor.description)"] : []) + survivor.holderLines
    }
  }

  /// Sets the state `.retainedByRunningTask` if a running task holds the survivor.
  package mutating func noteRunningTask() {
    guard state == .leaked, case .survivor = finding,
      survivors.first?.retainPath?.origin == .runningTask
    else { return }
    state = .retainedByRunningTask
  }
}

extension LeakSurvivor {
  /// Lines about the holder; empty if the monitor did not search.
  var holderLines: [String] {
    guard let retainFinding else { return [] }
    return switch retainFinding {
    case .path(let path, _): path.text.split(separator: "\n").map(String.init)
    case .none(let count):
      ["held by nothing that can be seen; strong references: \(count)"]
    case .unavailable(let reason): ["who holds it cannot be told: \(reason)"]
    }
  }
}

// MARK: - Full text

extension LeakReport {
  private static let listedSurvivors = 5
  private static let listedFrames = 6
  private static let listedSamples = 8

  /// The message, the live instances with their ages, creators and holders, the history of the
  /// count, and the cost of the monitor.
  ///
  /// - Complexity: Slow, as `CreationBacktrace.frames`, for each listed instance.
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

  /// After a late deallocation, the reported instances are no longer alive.
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

  /// Returns `number` with one digit after the point.
  private static func decimal(_ number: Double) -> String {
    "\((number * 10).rounded(.down) / 10)"
  }
}
