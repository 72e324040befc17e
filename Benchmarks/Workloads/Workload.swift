/// A named way to use a collection: which operations, in which shares, on how many entries.
///
/// One name may stand for two workloads, one for each abstract type. See `Workload.all(for:)` for
/// those with a name.
public struct Workload: Hashable, Sendable {
  /// The name of every workload that is nothing but a mix somebody typed.
  public static let customName = "custom"

  /// In kebab-case, as on the command line and in CSV.
  public let name: String
  public let subject: WorkloadSubject
  public let mix: OperationMix
  public let behaviour: Behaviour
  /// One sentence for `list` and the README.
  public let summary: String

  init(
    _ name: String, subject: WorkloadSubject, mix: OperationMix, behaviour: Behaviour = .steady,
    summary: String
  ) {
    self.name = name
    self.subject = subject
    self.mix = mix
    self.behaviour = behaviour
    self.summary = summary
  }

  /// A steady workload that is nothing but `mix`, under the name `custom`.
  public static func custom(_ mix: OperationMix, for subject: WorkloadSubject) -> Workload {
    Workload(
      customName, subject: subject, mix: mix, summary: "The given shares: \(mix).")
  }

  /// What a worker calls for `operation` in this workload.
  public func meaning(of operation: OperationKind) -> String {
    behaviour.meaning(of: operation, for: subject) ?? operation.meaning(for: subject)
  }
}
