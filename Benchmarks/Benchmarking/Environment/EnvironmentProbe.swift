import Measurements
import Primitives

/// Finds out where, with what and from which source this program runs.
package enum EnvironmentProbe {
  /// `machine` is the name that somebody gave, instead of the label made of what the machine is.
  package static func environment(machine: String?) -> Measurement.Environment {
    let facts = MachineFacts.current
    return Measurement.Environment(
      machine: machine ?? MachineLabel.text(for: facts, cores: Host.usableCores), cpu: facts.cpu,
      cores: Host.usableCores, hostCores: Host.hostCores, os: facts.os, kernel: facts.kernel,
      swift: CompilerVersion.name, mutexFlavor: Host.mutexFlavor, allocator: AllocatorProbe.name,
      buildConfiguration: BuildKind.name, commit: SourceCommit.name())
  }
}
