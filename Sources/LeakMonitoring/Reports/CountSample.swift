/// How many instances lived at a time.
public struct CountSample: Sendable, Equatable {
  /// Since the monitor was made.
  public var time: Duration
  public var liveCount: Int

  public init(time: Duration, liveCount: Int) {
    self.time = time
    self.liveCount = liveCount
  }
}
