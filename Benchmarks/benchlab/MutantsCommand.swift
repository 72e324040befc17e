import TerminalIO
import ArgumentParser

/// Hunts for the mutants: broken variants of our code that the stress harness must find.
struct MutantsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mutants",
    abstract: "Hunt for planted bugs with the tools that must find them.",
    discussion: """
      Each mutant is hunted until it is found or the budget is spent; then the code as it is goes through \
      the same hunts and must be found right. Status 0: every mutant was caught and the code is \
      right; 1: not so. Needs the traits Interleaving and Mutants: scripts/test-mutants makes such a build.

      EXAMPLES:
        benchlab mutants --only early-free,published-check-then-act
        benchlab mutants --format markdown --output Mutants.md
      """)

  @OptionGroup var options: MutantsOptions

  func run() async throws {
    #if Mutants && Interleaving
      let plan = try MutantsPlan(options)
      if let schedule = plan.replay { return try Self.replay(schedule, plan.mutants) }
      await MutantsRun(plan).run()
    #else
      throw CommandError.usage(
        "mutants needs a build with the traits Interleaving and Mutants (scripts/test-mutants makes one)"
      )
    #endif
  }
}

/// What `mutants` was asked for, word for word.
struct MutantsOptions: ParsableArguments {
  @Option(help: "Mutants by name. (default: all)")
  var only: String?

  @Option(
    parsing: .unconditional,
    help: "Seconds for each hunt; less of them where the scenario is given. (default: 10)")
  var budget: String?

  @Option(
    parsing: .unconditional,
    help: """
      Seconds for each hunt that must come to nothing: through the code as it is, and of mutants that \
      break nothing. (default: as --budget)
      """)
  var cleanBudget: String?

  @Option(parsing: .unconditional, help: "What repeats the hunts. (default: 1)")
  var seed: String?

  @Option(help: "What to write: text or markdown.")
  var format = "text"

  @Option(help: "Where the table goes; the file is replaced. (default: standard output)")
  var output: String?

  @Option(help: "Repeat the schedule that a catch printed, with the one mutant that --only names.")
  var replay: String?
}
