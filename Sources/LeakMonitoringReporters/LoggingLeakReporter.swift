import LeakMonitoring
import Logging

/// Logs each report with swift-log: a leak as an error, one that died late as a notice, what is allowed or
/// long-lived for debugging.
///
/// The message is the report's; its figures are metadata, under names that begin with `leak.`.
public struct LoggingLeakReporter: LeakReporter {
  private let logger: Logger

  public init(_ logger: Logger = Logger(label: "LeakMonitoring")) {
    self.logger = logger
  }

  public func report(_ leak: LeakReport) {
    logger.log(
      level: level(of: leak.state), "\(leak.message)", metadata: metadata(of: leak),
      source: "LeakMonitoring", file: "\(leak.site.fileID)", function: "", line: leak.site.line)
  }

  private func level(of state: LeakState) -> Logger.Level {
    switch state {
    case .leaked: .error
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
    return metadata
  }
}

extension LeakReporter where Self == LoggingLeakReporter {
  /// Logs each report with `logger`.
  public static func logging(
    _ logger: Logger = Logger(label: "LeakMonitoring")
  ) -> LoggingLeakReporter {
    LoggingLeakReporter(logger)
  }
}
