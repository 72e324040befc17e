import ArgumentParser
import Benchmarking
import Foundation
import TerminalIO

/// The option for the folder of the compiled Java programs.
struct JavaOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("Folder with the Java programs. (default: no JDK)", valueName: "folder"))
  var jdk: String?
}

/// A Java program of `Benchmarks/Peers/java`. A separate process runs it for each trial.
struct JavaProgram: Sendable {
  private let name: String
  private let folder: String

  /// Creates a program; throws a usage error for a folder without its compiled class.
  init(_ name: String, folder: String) throws(CommandError) {
    guard FileManager.default.fileExists(atPath: "\(folder)/\(name).class") else {
      throw .usage("--jdk \(folder.quotedOnOneLine) (allowed: a folder with \(name).class)")
    }
    self.name = name
    self.folder = folder
  }

  /// Runs the program and returns the whole numbers that it prints.
  ///
  /// - Parameters:
  ///   - count: The expected number of numbers.
  ///   - options: Options of the JVM.
  ///   - arguments: The arguments of the program.
  /// - Throws: An error if it prints anything but `count` numbers.
  func numbers(
    _ count: Int, options: [String] = [], arguments: [String]
  ) throws(CommandError) -> [UInt64] {
    let words = ["-XX:+UseParallelGC"] + options + ["-cp", folder, name] + arguments
    let command = words.map(\.quotedForShell)
    let answer = Shell.output(of: "exec java \(command.joined(separator: " "))") ?? ""
    let numbers = answer.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) }
    guard numbers.count == count else {
      throw .failed(
        "the Java program \(name) printed \(answer.quotedOnOneLine) instead of \(count) numbers; "
          + "compile it again with scripts/benchlab limits or loop")
    }
    return numbers
  }
}
