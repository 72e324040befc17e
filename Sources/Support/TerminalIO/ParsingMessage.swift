import ArgumentParser

/// What the argument parser complains about, on one line that lists what is allowed.
package enum ParsingMessage {
  /// `arguments` are the program's, without its name.
  package static func line(
    for error: any Error, arguments: [String], of program: any ParsableCommand.Type
  ) -> String {
    let message = program.message(for: error).split(separator: "\n").joined(separator: " ")
    return "\(message) (allowed: \(allowed(after: arguments.first, of: program).joined(separator: ", ")))"
  }

  /// The options of a command, or the commands and options of the program.
  package static func allowed(
    after command: String?, of program: any ParsableCommand.Type
  ) -> [String] {
    let commands = program.configuration.subcommands.filter {
      $0.configuration.shouldDisplay
    }
    let named = commands.first { $0.configuration.commandName == command }
    guard let named else {
      return commands.compactMap { $0.configuration.commandName } + ["--version", "--help"]
    }
    return options(inHelp: program.helpMessage(for: named, columns: 1000))
  }

  /// The parser tells its options only in the help: a line each, such as `  -h, --help  Show ...`.
  private static func options(inHelp help: String) -> [String] {
    help.split(separator: "\n").filter { $0.hasPrefix("  -") }.compactMap { line in
      line.split(separator: " ").first { $0.hasPrefix("--") }.map(String.init)
    }
  }
}
