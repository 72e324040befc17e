/// A named way to use a collection: which operations, in which shares, on how many entries.
///
/// One name may stand for two workloads, one for each abstract type. See `Workload.all(for:)` for
/// those with a name.
public struct Workload: Codable, Hashable, Sendable {
  /// The name of every workload that is nothing but a mix somebody typed.
  public static let customName = "custom"

  /// In kebab-case, as on the command line and in CSV.
  public let name: String
  public let subject: WorkloadSubject
  public let mix: OperationMix
  public let behaviour: Behaviour
  /// How a dictionary's keys are drawn; arrays and sets draw their objects uniformly.
  public private(set) var keyDistribution: KeyDistribution
  /// How many per cent of a weak array's entries are dead when the clock starts.
  public let deadShare: Int
  /// What a dictionary's keys and values are.
  public private(set) var entries = EntryTypes.integerToInteger
  /// One sentence for `list` and the README.
  public let summary: String
  /// The groups that the workers are divided into; empty where all do the same.
  public let roles: [Role]

  init(
    _ name: String, subject: WorkloadSubject, mix: OperationMix, behaviour: Behaviour = .steady,
    keys: KeyDistribution = .uniform, deadShare: Int = 0, summary: String, roles: [Role] = []
  ) {
    self.name = name
    self.subject = subject
    self.mix = mix
    self.behaviour = behaviour
    keyDistribution = keys
    self.deadShare = deadShare
    self.summary = summary
    self.roles = roles
  }

  /// A steady workload that is nothing but `mix`, under the name `custom`.
  public static func custom(_ mix: OperationMix, for subject: WorkloadSubject) -> Workload {
    Workload(
      customName, subject: subject, mix: mix, summary: "The given shares: \(mix).")
  }

  /// The same with keys drawn otherwise.
  ///
  /// - Precondition: it is a dictionary's.
  public func drawing(_ keys: KeyDistribution) -> Workload {
    precondition(subject == .dictionary, "a dictionary alone has keys to draw")
    var workload = self
    workload.keyDistribution = keys
    return workload
  }

  /// The same on a dictionary of other keys and values.
  ///
  /// - Precondition: it is a dictionary's.
  public func on(_ entries: EntryTypes) -> Workload {
    precondition(subject == .dictionary, "a dictionary alone has keys and values")
    var workload = self
    workload.entries = entries
    return workload
  }

  /// What a worker calls for `operation` in this workload.
  public func meaning(of operation: OperationKind) -> String {
    behaviour.meaning(of: operation, for: subject) ?? operation.meaning(for: subject)
  }
}
