/// What the process of a search does wrong on purpose, for tests.
package enum RetainFault: UInt32, Sendable {
  case none = 0
  case hanging = 1
  case crashing = 2
  /// In the first attempt alone.
  case hangingAtFirst = 3
  /// While it visits the first object that the suspect refers to.
  case crashingInVisit = 4
  case exiting = 5
  /// By its clock, after some objects.
  case late = 6
  /// It takes longer to end than anybody waits.
  case endingLate = 7
}
