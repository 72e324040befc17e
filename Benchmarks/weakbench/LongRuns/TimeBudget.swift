import TerminalIO
import Charts
import Reporting

/// How long a run may take, by the plan's own estimate; what does not fit into it is given up.
struct TimeBudget: Equatable, Sendable {
  let seconds: Double

  /// What somebody typed after `--time-budget`: `90s`, `10m`, `1h30m`; nil for nothing.
  init?(option text: String?) throws(CommandError) {
    guard let text else { return nil }
    guard let seconds = Self.seconds(in: text), (1...Self.longest).contains(seconds) else {
      throw .usage(
        "--time-budget \(text.quotedOnOneLine) (allowed: hours, minutes and seconds from 1s to 720h, "
          + "such as 90s, 10m or 1h30m)")
    }
    self.seconds = Double(seconds)
  }

  private static let longest = 720 * 3600

  /// The units must come in their order, each at most once; nil for anything else.
  private static func seconds(in text: String) -> Int? {
    guard let match = text.wholeMatch(of: /(?:(\d{1,7})h)?(?:(\d{1,7})m)?(?:(\d{1,7})s)?/) else {
      return nil
    }
    let (_, hours, minutes, seconds) = match.output
    let parts = [(hours, 3600), (minutes, 60), (seconds, 1)]
    return parts.reduce(0) { $0 + (Int($1.0 ?? "0") ?? 0) * $1.1 }
  }

  /// No plan however small fits.
  func refusal(smallestSeconds: Double) -> CommandError {
    .usage(
      "--time-budget \(NumberText.duration(seconds: seconds)): the least that can be left of this plan "
        + "takes \(NumberText.duration(seconds: smallestSeconds)) (allowed: more time, or fewer "
        + "collections and backends)")
  }
}
