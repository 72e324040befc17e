import TerminalIO
import ArgumentParser
import Testing
import Workloads

@testable import weakbench

extension RunPlan {
  /// Of a line as somebody types it, on a machine with two cores.
  static func of(_ line: String, usableCores: Int = 2) throws -> RunPlan {
    try RunPlan(options(line), usableCores: usableCores, drawnSeed: Seed(7)!)
  }

  static func options(_ line: String) throws -> RunOptions {
    try RunOptions.parse(line.split(separator: " ").map(String.init))
  }
}
