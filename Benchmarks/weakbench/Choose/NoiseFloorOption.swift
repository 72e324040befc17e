import ArgumentParser

/// Below which difference nobody is cheaper.
struct NoiseFloorOption: ParsableArguments {
  @Option(
    help:
      "Below which difference costs are noise. (default: by the A/A run in rows.noise.csv beside rows.csv; else 5%)"
  )
  var noiseFloor: String?

  var isEmpty: Bool { noiseFloor == nil }

  /// Nil if nothing was said.
  func part() throws(CommandError) -> Double? {
    try noiseFloor.map { text throws(CommandError) in
      try OptionText.part(text, option: "--noise-floor")
    }
  }
}
