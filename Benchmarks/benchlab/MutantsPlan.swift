#if Mutants && Interleaving
  import BenchmarkCommands
  import TerminalIO
  import Interleaving
  import Mutants
  import Workloads

  /// What a run over the mutants will do, once every option is known to be allowed.
  struct MutantsPlan: Sendable {
    let mutants: [Mutant]
    /// Hunts that must come to nothing: weakened orderings that break nothing.
    let equivalents: [Mutant]
    let originals: [Hunt]
    let seed: Seed
    /// Seconds for each hunt.
    let budget: Double
    /// Those for each that must come to nothing, and so takes all of them.
    let cleanBudget: Double
    let format: MutantsTable.Format
    let output: OutputDestination
    let replay: Schedule?

    init(_ options: MutantsOptions) throws(CommandError) {
      let names = try Self.names(options.only)
      mutants = Zoo.mutants.filter { names.contains($0.name) }
      equivalents = Zoo.equivalents.filter { names.contains($0.name) }
      originals = Zoo.originals(of: mutants)
      budget = try OptionText("--budget", options.budget, allowed: 1...3600)
        .seconds(otherwise: 10)
      cleanBudget = try OptionText("--clean-budget", options.cleanBudget, allowed: 1...3600)
        .seconds(otherwise: budget)
      seed = try Seed(option: options.seed, otherwise: .fixed)
      guard let format = MutantsTable.Format(rawValue: options.format) else {
        throw .unknown(
          "format", options.format, allowed: MutantsTable.Format.allCases.map(\.rawValue))
      }
      self.format = format
      output = options.output.map { OutputDestination(replacing: $0) } ?? .standardOutput
      try output.check()
      replay = try Self.schedule(options.replay, mutants + equivalents)
    }

    func limit(of hunt: Hunt, mustComeToNothing: Bool) -> Duration {
      .seconds((mustComeToNothing ? cleanBudget : budget) * hunt.timeShare)
    }

    private static func names(_ text: String?) throws(CommandError) -> Set<String> {
      let allowed = (Zoo.mutants + Zoo.equivalents).map(\.name)
      guard let text else { return Set(allowed) }
      let names = try OptionText.names(in: text, option: "--only", allowed: allowed)
      if let name = names.first(where: { !allowed.contains($0) }) {
        throw .unknown("mutant", name, allowed: allowed)
      }
      return Set(names)
    }

    private static func schedule(
      _ text: String?, _ mutants: [Mutant]
    ) throws(CommandError) -> Schedule? {
      guard let text else { return nil }
      guard mutants.count == 1, [.reclamation, .interning].contains(mutants[0].hunt.tool)
      else {
        throw .usage("--replay needs --only with one mutant of the reclamation or the interner")
      }
      do {
        return try Schedule(parsing: text)
      } catch {
        throw .usage("--replay: \(error)")
      }
    }
  }
#endif
