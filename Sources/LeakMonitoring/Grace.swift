/// The time in which what looks like a leak may still prove to be none.
///
/// It is over when its duration has passed *and* it was asked often enough: time alone says little on a
/// machine that runs other things. A long gap between two polls means that the process did not run, in a
/// debugger for instance, and neither then did what would have released the object; grace begins anew.
package struct Grace: Sendable {
  static let leastPolls = 20
  static let longestGap: Duration = .seconds(1)

  private let duration: Duration
  private let start: Duration
  private var lastPoll: Duration
  private var polls = 0

  /// - Parameter now: the time since any moment, the same for all calls.
  package init(_ duration: Duration, from now: Duration) {
    self.duration = duration
    start = now
    lastPoll = now
  }

  /// How long to wait between polls: for 20 in the duration, well below the gap.
  package var interval: Duration {
    max(.milliseconds(1), min(duration / Self.leastPolls, Self.longestGap / 4))
  }

  /// Notes that what looked like a leak still does; returns whether grace is over.
  package mutating func poll(at now: Duration) -> Bool {
    guard now - lastPoll <= Self.longestGap else {
      self = Grace(duration, from: now)
      return false
    }
    lastPoll = now
    polls += 1
    return polls >= Self.leastPolls && now - start >= duration
  }
}
