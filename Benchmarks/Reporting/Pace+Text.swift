import Charts
import Measurements

extension Measurement.Pace {
  /// How often operations were due, in words; `nil` in a closed loop.
  package var text: String? {
    guard mode == .open else { return nil }
    let load = loadPercent.map { " at \($0) % of capacity" } ?? ""
    let target = targetOperationsPerSecond.map { ", \(NumberText.rate($0)) operations/s" } ?? ""
    return "open loop\(load)\(target)"
  }
}
