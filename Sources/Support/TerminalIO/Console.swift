import ArgumentParser
import Foundation

/// Standard output for data, standard error for everything else.
package enum Console {
  /// The name under which the program was started. It begins every note.
  package static let programName = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent

  package static func print(_ line: String) {
    write(line + "\n", to: STDOUT_FILENO)
  }

  package static func note(_ line: String) {
    write("\(programName): \(line)\n", to: STDERR_FILENO)
  }

  package static func writeError(_ text: String) {
    write(text, to: STDERR_FILENO)
  }

  package static func exit(with error: CommandError) -> Never {
    note(error.description)
    Foundation.exit(error.status.rawValue)
  }

  /// Exits after an error of the argument parser, to which the help and the version are errors as well.
  package static func exit(
    parsing error: any Error, of program: any ParsableCommand.Type
  ) -> Never {
    guard program.exitCode(for: error).isSuccess else {
      let arguments = Array(CommandLine.arguments.dropFirst())
      note(ParsingMessage.line(for: error, arguments: arguments, of: program))
      Foundation.exit(ExitStatus.usage.rawValue)
    }
    print(program.fullMessage(for: error))
    Foundation.exit(ExitStatus.fine.rawValue)
  }

  // Not `FileHandle`, which traps when the reader is gone, nor `print`, which buffers.
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
  /// Parses the command line, runs the command, and turns every ending into an exit status.
  package static func runProgram() async {
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
      Console.exit(parsing: error, of: Self.self)
    }
  }
}

/// An error of the argument parser on one line, with the allowed words.
package enum ParsingMessage {
  /// - Parameter arguments: Those of the program, without its name.
  package static func line(
    for error: any Error, arguments: [String], of program: any ParsableCommand.Type
  ) -> String {
    let message = program.message(for: error).split(separator: "\n").joined(separator: " ")
    return
      "\(message) (allowed: \(allowed(after: arguments.first, of: program).joined(separator: ", ")))"
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

  /// Reads the options from the help, the only place where the parser lists them: a line each, such as
  /// `  -h, --help  Show ...`.
  private static func options(inHelp help: String) -> [String] {
    help.split(separator: "\n").filter { $0.hasPrefix("  -") }.compactMap { line in
      line.split(separator: " ").first { $0.hasPrefix("--") }.map(String.init)
    }
  }
}

/// The first SIGINT (Ctrl-C) or SIGTERM.
package enum Interruption {
  /// Calls `action` on its own thread at the first of the signals; the second one kills the process.
  package static func observe(_ action: @escaping @Sendable () -> Never) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    let reading = ends[0]
    pipeEnd = ends[1]
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        // Only what a signal handler may call.
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

// Unsafe: written once before the handlers that read it are installed; a handler can capture nothing.
nonisolated(unsafe) private var pipeEnd: Int32 = -1
