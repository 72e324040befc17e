import Measurements

// The probes are the program's: this module knows neither the monitor nor the chooser.
extension LimitCatalog {
  /// The monitor whose backend is chosen as a user's is.
  public static let chosenMonitor = "chosen"
  public static let chooser = "chooser"

  /// Where so many live as `max` says, or more, or fewer.
  public enum Validation: String, CaseIterable, Sendable {
    case belowMax = "1,000 live, max 2,000"
    case belowMaxByCurrent = "the same by the static function"
    case manyClasses = "16 classes, a thread on each core"
    case oldestDies = "max 1,000, the oldest dies"
    case anyDies = "max 1,000, any dies"
    case beyondMax = "1,000 live, max 500"
  }

  public static func validation(_ row: String, _ column: Validation) -> Figure {
    Figure(Table.monitor.rawValue, row, column.rawValue)
  }

  public static let validationWhileOff = Figure(Table.monitor.rawValue, "off", "validate, ns")
  /// Of a class of which a thousand live and any number may.
  public static let token = Figure(
    Table.monitor.rawValue, "a token", "made and let go, ns")
  public static let storedWhileOff = Figure(Table.monitor.rawValue, "off", "stored")
  public static let question = Figure(Table.chooser.rawValue, chooser, "a question, ns")
  public static let questionBytes = Figure(Table.chooser.rawValue, chooser, "a question, bytes")

  static var monitorLimits: [Limit] {
    [
      Limit(
        "monitor", "validate with 1,000 live and max 2,000, ns",
        .figure(validation(chosenMonitor, .belowMax)), must: .atMost(250)),
      Limit(
        "monitor", "validate of 16 classes in turn by a thread on each core, ns",
        .figure(validation(chosenMonitor, .manyClasses))),
      Limit(
        "monitor", "validate at max 1,000 after the oldest has died, its death included, ns",
        .figure(validation(chosenMonitor, .oldestDies))),
      Limit(
        "monitor", "validate at max 1,000 after any has died, its death included, ns",
        .figure(validation(chosenMonitor, .anyDies))),
      Limit(
        "monitor", "validate with 1,000 live and max 500, the report included, ns",
        .figure(validation(chosenMonitor, .beyondMax))),
      Limit(
        "monitor", "validate while it is off, ns", .figure(validationWhileOff), must: .atMost(2)),
      Limit("monitor", "a token made and let go, ns", .figure(token)),
      Limit(
        "monitor", "instances stored while it is off", .figure(storedWhileOff), must: .atMost(0)),
      Limit("chooser", "a question, ns", .figure(question), must: .atMost(1000)),
      Limit("chooser", "a question: bytes allocated", .figure(questionBytes), must: .atMost(0)),
    ]
  }
}
