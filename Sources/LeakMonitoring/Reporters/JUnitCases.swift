import RuntimeInspection

/// What is to be written of each leak; it grows with the different leaks alone, not with their reports.
struct JUnitCases: Sendable {
  /// How many messages of one leak are shown.
  static let mostMessages = 20

  /// One leak.
  struct Case: Sendable {
    /// The first report of it as a leak, else the first.
    private(set) var record: LeakRecord
    /// Of the first reports, with their places and the paths of their survivors.
    private(set) var messages: [String] = []
    private(set) var reportCount = 0
    private(set) var hasDiedLate = false

    fileprivate init(_ record: LeakRecord) {
      self.record = record
    }

    fileprivate mutating func add(_ record: LeakRecord) {
      if record.state.isFailure, !self.record.state.isFailure { self.record = record }
      if messages.count < mostMessages {
        let paths = record.survivors.compactMap(\.path?.text)
        let message = "\(record.fileID):\(record.line): \(record.message)"
        messages.append(([message] + paths).joined(separator: "\n"))
      }
      reportCount += 1
      if record.state == .late { hasDiedLate = true }
    }
  }

  private(set) var cases: [LeakFingerprint: Case] = [:]
  private(set) var tally = LeakTally()

  mutating func add(_ record: LeakRecord) {
    tally.add(record)
    cases[record.fingerprint, default: Case(record)].add(record)
  }
}
