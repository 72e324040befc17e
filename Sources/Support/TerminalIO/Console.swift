import ArgumentParser
import Foundation

/// Writes data to standard output, and everything else to standard error.
package enum Console {
  /// The name by which the user started the program. Every note begins with it.
  package static let programName = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent

  /// Writes a line to standard output.
  package static func print(_ line: String) {
    write(line + "\n", to: STDOUT_FILENO)
  }

  /// Writes a line to standard error, after the name of the program.
  package static func note(_ line: String) {
    write("\(programName): \(line)\n", to: STDERR_FILENO)
  }

  /// Writes `text` to standard error as it is, such as the control codes of a terminal.
  package static func writeError(_ text: String) {
    write(text, to: STDERR_FILENO)
  }

  /// Writes the error to standard error and exits with its status.
  package static func exit(with error: CommandError) -> Never {
    note(error.description)
    Foundation.exit(error.status.rawValue)
  }

  /// Exits after any error but a `CommandError`.
  ///
  /// The argument parser throws its help and its version as errors: they go to standard output,
  /// with status 0. Its other errors are usage errors. An error that a command let through is a
  /// failure.
  package static func exit(
    parsing error: any Error, of program: any ParsableCommand.Type
  ) -> Never {
    let code = program.exitCode(for: error)
    if code.isSuccess {
      print(program.fullMessage(for: error))
      Foundation.exit(ExitStatus.fine.rawValue)
    }
    guard code == .validationFailure else {
      exit(with: .failed(ParsingMessage.oneLine(error, of: program)))
    }
    let arguments = Array(CommandLine.arguments.dropFirst())
    note(ParsingMessage.line(for: error, arguments: arguments, of: program))
    Foundation.exit(ExitStatus.usage.rawValue)
  }

  // Not `FileHandle`, which traps if the reader has closed the pipe; not `print`, which buffers.
  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}

extension AsyncParsableCommand {
  /// Parses the command line, runs the command, and exits with a status for every error.
  package static func runProgram() async {
    do {
      try ParsingMessage.checkHelp(
        arguments: Array(CommandLine.arguments.dropFirst()), of: Self.self)
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error as CommandError {
      Console.exit(with: error)
    } catch {
      Console.exit(parsing: error, of: Self.self)
    }
  }
}

/// Messages about the command line.
package enum ParsingMessage {
  /// Returns an error of the argument parser on one line, with the allowed words.
  ///
  /// - Parameter arguments: The arguments of the program, without its name.
  package static func line(
    for error: any Error, arguments: [String], of program: any ParsableCommand.Type
  ) -> String {
    let words = allowed(after: arguments.first, of: program)
    if let name = unknownCommand(arguments, of: program) {
      return CommandError.unknown("command", name, allowed: words).description
    }
    let message = oneLine(error, of: program)
    let advice = adviceOnLists(message, arguments, of: program)
    return "\(message)\(advice) (allowed: \(words.joined(separator: ", ")))"
  }

  /// Returns the first argument if it stands for a command and the program has none of that name.
  private static func unknownCommand(
    _ arguments: [String], of program: any ParsableCommand.Type
  ) -> String? {
    let commands = program.configuration.subcommands
    guard !commands.isEmpty, program.configuration.defaultSubcommand == nil,
      let name = arguments.first, !name.hasPrefix("-"), name != "help",
      !commands.contains(where: { $0.configuration.commandName == name })
    else { return nil }
    return name
  }

  /// Returns the advice to separate values by commas if a space separates those of an option that
  /// takes several; empty otherwise.
  private static func adviceOnLists(
    _ message: String, _ arguments: [String], of program: any ParsableCommand.Type
  ) -> String {
    let commands = program.configuration.subcommands
    guard let command = commands.first(where: { $0.configuration.commandName == arguments.first })
    else { return "" }
    let help = program.helpMessage(for: command, columns: 1000).split(separator: "\n")
    for (option, values) in zip(arguments, zip(arguments.dropFirst(), arguments.dropFirst(2))) {
      let takesList = help.contains { line in
        ["<names>", "<numbers>"].contains { line.hasPrefix("  \(option) \($0)") }
      }
      guard takesList, !values.0.hasPrefix("-"), message.contains("'\(values.1)'") else { continue }
      let first = values.0.hasSuffix(",") ? values.0.dropLast() : values.0[...]
      return "; separate values by commas: \(option) \(first),\(values.1)"
    }
    return ""
  }

  /// Returns the message of an error without line breaks.
  static func oneLine(_ error: any Error, of program: any ParsableCommand.Type) -> String {
    program.message(for: error).split(separator: "\n").joined(separator: " ")
  }

  /// Checks the words after `help`, where the argument parser ignores a name that is no command.
  ///
  /// - Throws: A usage error with the allowed commands.
  package static func checkHelp(
    arguments: [String], of program: any ParsableCommand.Type
  ) throws(CommandError) {
    guard arguments.first == "help" else { return }
    var command = program
    for name in arguments.dropFirst() where !name.hasPrefix("-") && name != "help" {
      let commands = command.configuration.subcommands
      guard !commands.isEmpty else {
        let leaf = command.configuration.commandName ?? ""
        throw .usage("unexpected \(name.quotedOnOneLine) (allowed: help \(leaf))")
      }
      guard let next = commands.first(where: { $0.configuration.commandName == name }) else {
        let shown = commands.filter { $0.configuration.shouldDisplay }
        throw .unknown(
          "command", name, allowed: shown.compactMap { $0.configuration.commandName })
      }
      command = next
    }
  }

  /// Returns the options of a command or, without one, the commands and options of the program.
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

  /// Returns the options that the help lists, one per line, such as `  -h, --help  Show ...`.
  ///
  /// The argument parser lists them nowhere else.
  private static func options(inHelp help: String) -> [String] {
    help.split(separator: "\n").filter { $0.hasPrefix("  -") }.compactMap { line in
      line.split(separator: " ").first { $0.hasPrefix("--") }.map(String.init)
    }
  }
}

/// Observes the first SIGINT (Ctrl-C) or SIGTERM.
package enum Interruption {
  /// Calls `action` on a thread of its own after the first signal; a second signal kills the
  /// process.
  package static func observe(_ action: @escaping @Sendable () -> Never) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    let reading = ends[0]
    pipeEnd = ends[1]
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        // Only functions that a signal handler may call.
        signal(number, SIG_DFL)
        var byte: UInt8 = 0
        _ = write(pipeEnd, &byte, 1)
      }
    }
    Thread.detachNewThread {
      var byte: UInt8 = 0
      while read(reading, &byte, 1) < 0 && errno == EINTR {}
      action()
    }
  }
}

// Unsafe: written once, before the installation of the handlers that read it. A handler cannot
// capture a variable.
nonisolated(unsafe) private var pipeEnd: Int32 = -1
