import ArgumentParser
import ArgumentParser
import Foundation

/// Standard output, for data, and standard error, for everything else.
package enum Console {
  /// The name that the program was started under, which begins every line of standard error.
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

  /// Ends after what the argument parser throws: the help and version too are errors to it.
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
