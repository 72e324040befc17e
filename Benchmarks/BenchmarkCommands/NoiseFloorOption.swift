import TerminalIO
import ArgumentParser

/// Below which difference nobody is cheaper.
package struct NoiseFloorOption: ParsableArguments {
  @Option(
    help:
      "Below which difference costs are noise. (default: by the A/A run in rows.noise.csv beside rows.csv; else 5%)"
  )
  package var noiseFloor: String?

  package init() {}

  package var isEmpty: Bool { noiseFloor == nil }

  /// Nil if nothing was said.
  package func part() throws(CommandError) -> Double? {
    try noiseFloor.map { text throws(CommandError) in
      try OptionText.part(text, option: "--noise-floor")
    }
  }
}
