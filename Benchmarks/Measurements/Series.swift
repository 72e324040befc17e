/// What repeated trials have in common, so that they may be summed up together.
public struct Series: Hashable, Sendable {
  public var kind: Measurement.Kind
  public var environment: Measurement.Environment
  public var configuration: Measurement.Configuration

  public init(of measurement: Measurement) {
    kind = measurement.identity.kind
    environment = measurement.environment
    configuration = measurement.configuration
  }

  /// The same for every series that differs from this one in the backend alone.
  var contest: Series {
    var contest = self
    contest.configuration.backend = ""
    return contest
  }
}
