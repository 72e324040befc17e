/// Something that looks like a leak, and is looked at again until it does not or its grace is over.
///
/// No two of these run at once for one check.
protocol LeakCheck: Sendable {
  /// Of whose told checks only the last waits, since each tells of more than those before; nil if each does.
  var subject: CheckSubject? { get }

  /// What to report if it still looks like a leak, else nil.
  func look() -> LeakReport?

  /// Notes that it no longer looks like a leak.
  func dismiss()

  /// Notes that `found` is about to be reported; returns it with its state.
  func conclude(_ found: LeakReport) -> LeakReport

  /// What is to be checked next: what others left to this check, and it was decided before it saw that.
  func successor() -> Self?

  /// Notes that what was reported is gone, or is not waited for; returns false if it was forgotten.
  func resolve(_ told: LeakReport) -> Bool
}

/// What checks are about: a class or a group of them, as one of the counts has it.
struct CheckSubject: Hashable, Sendable {
  /// Those of that count.
  let suspicions: ObjectIdentifier
  let type: ObjectIdentifier
}
