import Benchmarking
import Measurements
import Primitives

/// Finds out where, with what and from which source this program runs.
enum EnvironmentProbe {
  /// `machine` is the name that somebody gave, instead of the label made of what the machine is.
  static func environment(machine: String?) -> Measurement.Environment {
    let facts = MachineFacts.current
    return Measurement.Environment(
      machine: machine ?? MachineLabel.text(for: facts, cores: Host.usableCores), cpu: facts.cpu,
      cores: Host.usableCores, hostCores: Host.hostCores, os: facts.os, kernel: facts.kernel,
      swift: CompilerVersion.name, mutexFlavor: Host.mutexFlavor, allocator: AllocatorProbe.name,
      buildConfiguration: BuildKind.name, commit: SourceCommit.name())
  }

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
