import ArgumentParser
import Foundation

/// Standard output, for data, and standard error, for everything else.
enum Console {
  static func print(_ line: String) {
    write(line + "\n", to: STDOUT_FILENO)
  }

  static func note(_ line: String) {
    write("weakbench: \(line)\n", to: STDERR_FILENO)
  }

  static func writeError(_ text: String) {
    write(text, to: STDERR_FILENO)
  }

  static func exit(with error: CommandError) -> Never {
    note(error.description)
    Foundation.exit(error.status.rawValue)
  }

  /// Ends after what the argument parser throws: the help and version too are errors to it.
  static func exit(parsing error: any Error) -> Never {
    guard WeakbenchCommand.exitCode(for: error).isSuccess else {
      let arguments = Array(CommandLine.arguments.dropFirst())
      note(ParsingMessage.line(for: error, arguments: arguments))
      Foundation.exit(ExitStatus.usage.rawValue)
    }
    print(WeakbenchCommand.fullMessage(for: error))
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
