import TerminalIO
import Benchmarking

extension EnvironmentProbe {
  /// Refuses what a spreadsheet would take for a number, and what would need quoting.
  static func check(machine: String?) throws(CommandError) {
    guard let machine else { return }
    let isPlain = machine.allSatisfy { $0.isASCIIAlphanumeric || "-_.".contains($0) }
    guard isPlain, !machine.isEmpty, Double(machine) == nil else {
      throw .usage(
        "--machine \(machine.quotedOnOneLine) (allowed: letters, digits, hyphens, dots and "
          + "underscores that are not a number, such as build-server-2)")
    }
  }
}
