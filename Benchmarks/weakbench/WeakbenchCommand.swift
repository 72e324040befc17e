import ArgumentParser

/// The program: parses the command, runs it, and turns every way it may end into an exit status.
@main
struct WeakbenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "weakbench",
    abstract: "Measures thread-safe weak collections and dictionaries, backend against backend.",
    discussion: """
      Data goes to standard output, everything else to standard error.

      \(ExitStatus.helpText)
      """,
    version: "1.0.0",
    subcommands: [
      ListCommand.self, RunCommand.self, MergeCommand.self, LimitsCommand.self, ShowCommand.self,
      CompareCommand.self, ReportCommand.self, SummarizeCommand.self, ScalabilityLawCommand.self,
      ChooseCommand.self, RegretCommand.self, BackendCommand.self, MachineCommand.self,
      MonitorCommand.self, BindingsCommand.self, SoakCommand.self, StressCommand.self,
      CheckCommand.self,
      RatesCommand.self, MutantsCommand.self, ScalingCommand.self,
      VerdictsCommand.self, ForkCommand.self,
    ])

  static func main() async {
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error as CommandError {
      Console.exit(with: error)
    } catch {
      Console.exit(parsing: error)
    }
  }
}
