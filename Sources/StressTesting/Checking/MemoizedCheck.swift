/// A check that looks at each recording once, however often it comes.
// @unchecked: used by one thread at a time, which is the managed scheduler's.
final class MemoizedCheck: @unchecked Sendable {
  private let check: RecordingCheck
  private var fine: Set<Recording> = []
  private let capacity = 100_000

  init(_ check: RecordingCheck) { self.check = check }

  /// nil for what is fine, and for what takes too long to tell.
  func violation(in recording: Recording) -> Violation? {
    if fine.contains(recording) { return nil }
    if case .violation(let violation) = check.verdict(on: recording) { return violation }
    if fine.count < capacity { fine.insert(recording) }
    return nil
  }
}
