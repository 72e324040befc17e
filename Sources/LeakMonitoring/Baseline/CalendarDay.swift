import CShims

/// A day of the calendar, without a time zone: "2027-01-31".
public struct CalendarDay: Hashable, Sendable {
  public let year: Int
  public let month: Int
  public let day: Int

  /// - Parameter text: four digits, two and two, with hyphens between; nil if there is no such day.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2],
      parts.joined().utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
      1...12 ~= month, day >= 1, day <= Self.days(of: month, in: year)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// The day at Greenwich.
  public static var today: CalendarDay {
    CalendarDay(secondsSince1970: Int(cws_milliseconds_since_1970() / 1000))
  }

  init(secondsSince1970 seconds: Int) {
    var rest = seconds / 86_400
    var (year, month) = (1970, 1)
    while rest >= Self.days(of: year) {
      rest -= Self.days(of: year)
      year += 1
    }
    while rest >= Self.days(of: month, in: year) {
      rest -= Self.days(of: month, in: year)
      month += 1
    }
    (self.year, self.month, day) = (year, month, rest + 1)
  }

  private static func days(of year: Int) -> Int { isLeap(year) ? 366 : 365 }

  private static func days(of month: Int, in year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func isLeap(_ year: Int) -> Bool {
    year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
  }
}

extension CalendarDay: Comparable {
  public static func < (lhs: CalendarDay, rhs: CalendarDay) -> Bool {
    (lhs.year, lhs.month, lhs.day) < (rhs.year, rhs.month, rhs.day)
  }
}

extension CalendarDay: CustomStringConvertible {
  public var description: String {
    let digits = ["\(year)", "\(month)", "\(day)"]
    return zip([4, 2, 2], digits).map { String(repeating: "0", count: $0 - $1.count) + $1 }
      .joined(separator: "-")
  }
}
