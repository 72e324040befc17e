extension Measurement {
  /// Where, with what and from which source a trial ran.
  public struct Environment: Hashable, Sendable {
    /// A stable label of the machine, never the name of the host.
    public var machine: String
    /// The processor's model.
    public var cpu: String?
    /// How many cores this process may use, after affinity and quotas.
    public var cores: Int
    /// How many cores the machine has.
    public var hostCores: Int?
    public var os: String?
    public var kernel: String?
    /// The compiler, such as `swift-6.3.1`.
    public var swift: String
    /// How `Synchronization.Mutex` waits here, such as `pi-futex`.
    public var mutexFlavor: String?
    /// Which allocator served, and so counted, the memory.
    public var allocator: String
    /// How the benchmark was built: `release`, `debug`, `release+unoptimized-allowed`.
    public var buildConfiguration: String
    /// `g` and the hash, followed by `-dirty` if there were changes.
    public var commit: String?

    public init(
      machine: String, cpu: String? = nil, cores: Int, hostCores: Int? = nil, os: String? = nil,
      kernel: String? = nil, swift: String, mutexFlavor: String? = nil, allocator: String,
      buildConfiguration: String, commit: String? = nil
    ) {
      self.machine = machine
      self.cpu = cpu
      self.cores = cores
      self.hostCores = hostCores
      self.os = os
      self.kernel = kernel
      self.swift = swift
      self.mutexFlavor = mutexFlavor
      self.allocator = allocator
      self.buildConfiguration = buildConfiguration
      self.commit = commit
    }
  }
}
