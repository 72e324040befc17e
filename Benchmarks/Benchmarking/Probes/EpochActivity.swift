import EpochReclamation

/// What the epoch domain that all collections share did while somebody looked.
struct EpochActivity: Equatable, Sendable {
  private let before: EpochTelemetry
  private var latest: EpochTelemetry
  /// The most entries that were retired and not reclaimed, whenever it was looked at.
  private(set) var limboPeakEntries: Int

  var advances: Int { latest.advances - before.advances }
  var failedAdvances: Int { latest.failedAdvances - before.failedAdvances }

  /// Begins with the domain as it is.
  init(of telemetry: EpochTelemetry = EpochDomain.shared.telemetry) {
    before = telemetry
    latest = telemetry
    limboPeakEntries = telemetry.backlog
  }

  /// Looks again.
  mutating func note(_ telemetry: EpochTelemetry = EpochDomain.shared.telemetry) {
    latest = telemetry
    limboPeakEntries = max(limboPeakEntries, telemetry.backlog)
  }

  /// How far apart samples are: a reading takes a microsecond and the reader's wake-up some more, together
  /// less than a thousandth of a core.
  private static let sampleSeconds = 0.01

  /// Looks again and again for so long.
  mutating func note(forSeconds seconds: Double) async {
    let end = ContinuousClock.now + .seconds(seconds)
    while case let left = end - ContinuousClock.now, left > .zero {
      try? await Task.sleep(for: min(left, .seconds(Self.sampleSeconds)))
      note()
    }
  }
}
