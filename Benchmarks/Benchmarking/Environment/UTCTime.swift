import Foundation

/// A moment in UTC, to the second.
package struct UTCTime: Equatable, Sendable {
  package let secondsSince1970: Int

  package init(secondsSince1970: Int) {
    self.secondsSince1970 = secondsSince1970
  }

  package static var now: UTCTime { UTCTime(secondsSince1970: time(nil)) }

  /// ISO 8601, as in rows: `2026-11-21T11:57:00Z`.
  package var extended: String {
    let parts = parts
    return "\(parts.date.joined(separator: "-"))T\(parts.time.joined(separator: ":"))Z"
  }

  /// ISO 8601 without separators, as in file names: `20261121T115700Z`.
  package var compact: String {
    let parts = parts
    return "\(parts.date.joined())T\(parts.time.joined())Z"
  }

  private var parts: (date: [String], time: [String]) {
    var seconds = time_t(secondsSince1970)
    var moment = tm()
    gmtime_r(&seconds, &moment)
    let date = [Int(moment.tm_year) + 1900, Int(moment.tm_mon) + 1, Int(moment.tm_mday)]
    let time = [Int(moment.tm_hour), Int(moment.tm_min), Int(moment.tm_sec)]
    return (date.map(Self.padded), time.map(Self.padded))
  }

  private static func padded(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
