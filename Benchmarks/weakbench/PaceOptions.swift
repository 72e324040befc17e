import TerminalIO
import Measurements

/// What was typed about how often operations start.
enum PaceOptions {
  static let loads = [50, 70, 90]
  /// In one trial: each that was due and never started is still counted.
  static let mostOperations = 1_000_000_000

  /// One for each rate or load; a load has no target before the capacity is known.
  static func paces(
    _ options: RunOptions, seconds: Double
  ) throws(CommandError) -> [Measurement.Pace] {
    guard try isOpen(options) else { return [.closed] }
    // Who waits sleeps, and a pool's threads are not there to sleep on.
    if let driver = options.driver, driver != "threads" {
      throw .usage("--mode open is on owned threads (allowed: --driver threads)")
    }
    guard let rate = options.rate else {
      let loads = try OptionText("--load", options.load, allowed: 1...200).numbers(otherwise: loads)
      return loads.map { Measurement.Pace(mode: .open, loadPercent: $0) }
    }
    let most = max(1, Int(Double(mostOperations) / max(1, seconds)))
    let rates = try OptionText("--rate", rate, allowed: 1...most).numbers(otherwise: [])
    return rates.map { Measurement.Pace(mode: .open, targetOperationsPerSecond: Double($0)) }
  }

  static var nothingPaceable: CommandError {
    .usage("what times itself cannot be paced (allowed: other backends, or --mode closed)")
  }

  static func isOpen(_ options: RunOptions) throws(CommandError) -> Bool {
    let allowed = Measurement.Mode.allCases.map(\.rawValue)
    guard let mode = Measurement.Mode(rawValue: options.mode ?? "closed") else {
      throw .unknown("mode", options.mode ?? "", allowed: allowed)
    }
    if options.rate != nil && options.load != nil {
      throw .usage("--rate and --load exclude each other (allowed: one of them)")
    }
    guard mode == .closed else { return true }
    if options.rate != nil || options.load != nil {
      let option = options.rate == nil ? "--load" : "--rate"
      throw .usage("\(option) is for an open loop (allowed: \(option) with --mode open)")
    }
    return false
  }
}
