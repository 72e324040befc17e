import LeakMonitoring
import Logging
import RuntimeInspection

/// A reporter that logs each report with swift-log.
///
/// The level of a leak is `error`, that of a late deallocation `notice`, and that of an allowed or
/// long-lived finding `debug`. The log message is `LeakReport.message`. The metadata has the
/// fingerprint, the state, the type, the counts and the group, under names that start with `leak.`.
/// If the monitor found retain paths (see `RetainPaths`), `leak.paths` has a line for each.
public struct LoggingLeakReporter: LeakReporter {
  private let logger: Logger

  /// Creates a reporter that logs with `logger`.
  public init(_ logger: Logger = Logger(label: "LeakMonitoring")) {
    self.logger = logger
  }

  /// Logs a report, in any state.
  public func report(_ leak: LeakReport) {
    logger.log(
      level: level(of: leak.state), "\(leak.message)", metadata: metadata(of: leak),
      source: "LeakMonitoring", file: "\(leak.site.fileID)", function: "", line: leak.site.line)
  }

  private func level(of state: LeakState) -> Logger.Level {
    switch state {
    case .leaked, .retainedByRunningTask: .error
    case .late: .notice
    case .allowed, .longLived: .debug
    }
  }

  private func metadata(of leak: LeakReport) -> Logger.Metadata {
    var metadata: Logger.Metadata = [
      "leak.fingerprint": "\(LeakFingerprint(of: leak))", "leak.state": "\(leak.state.rawValue)",
      "leak.type": "\(leak.typeName)", "leak.live": "\(leak.liveCount)", "leak.max": "\(leak.max)",
    ]
    if let group = leak.group { metadata["leak.group"] = "\(group)" }
    let paths = leak.survivors.compactMap(\.retainPath).map(line)
    if !paths.isEmpty { metadata["leak.paths"] = .array(paths.map { .string($0) }) }
    return metadata
  }

  private func line(_ path: RetainPath) -> String {
    path.text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
  }
}

extension LeakReporter where Self == LoggingLeakReporter {
  /// Returns a reporter that logs each report with `logger`.
  public static func logging(
    _ logger: Logger = Logger(label: "LeakMonitoring")
  ) -> LoggingLeakReporter {
    LoggingLeakReporter(logger)
  }
}
