import ArgumentParser
import Choosing

/// Below which difference nobody is cheaper.
struct NoiseFloorOption: ParsableArguments {
  @Option(
    help: "Below which difference costs are noise, as `machine --noise-floor` says. (default: 5%)")
  var noiseFloor: String?

  var isEmpty: Bool { noiseFloor == nil }

  func part() throws(CommandError) -> Double {
    guard let noiseFloor else { return Chooser.standardNoiseFloor }
    return try OptionText.part(noiseFloor, option: "--noise-floor")
  }
}
