import Primitives

/// Where measurements hold: they say nothing about another compiler, mutex, processor or number of cores.
public struct CalibrationKey: Hashable, Sendable {
  /// The compiler's major and minor version, as in "6.3".
  public var compiler: String
  /// How `Synchronization.Mutex` waits, as `Host.mutexFlavor` names it.
  public var mutexFlavor: String
  /// The processor architecture, as in "x86_64".
  public var architecture: String
  /// How many cores the process may use.
  public var cores: Int

  /// Patch releases share a calibration: of "6.3.1", "6.3" is kept.
  public init(compiler: String, mutexFlavor: String, architecture: String, cores: Int) {
    self.compiler = compiler.split(separator: ".").prefix(2).joined(separator: ".")
    self.mutexFlavor = mutexFlavor
    self.architecture = architecture
    self.cores = cores
  }

  /// This process's.
  public static let current = CalibrationKey(
    compiler: Host.compilerVersion, mutexFlavor: Host.mutexFlavor,
    architecture: Host.architecture, cores: Host.usableCores)
}

extension CalibrationKey: CustomStringConvertible {
  public var description: String {
    "Swift \(compiler), \(mutexFlavor) mutex, \(architecture), \(cores) core\(cores == 1 ? "" : "s")"
  }
}

extension CalibrationKey: Comparable {
  public static func < (one: CalibrationKey, other: CalibrationKey) -> Bool {
    (one.compiler, one.mutexFlavor, one.architecture, one.cores)
      < (other.compiler, other.mutexFlavor, other.architecture, other.cores)
  }
}
