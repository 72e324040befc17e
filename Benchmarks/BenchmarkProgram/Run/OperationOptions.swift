import ArgumentParser
import BenchmarkCommands
import TerminalIO
import Workloads

/// The options of `run` and `choose` that determine the operations, beside `--workload`.
struct OperationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A mix of your own, in percent: read=95,insert=5.", valueName: "shares"))
  var mix: String?

  // Unconditional, so that -1 is a refused number, not an unknown option.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Reads in percent; the rest inserts and removes.", valueName: "number"))
  var reads: String?

  @Option(help: ArgumentHelp("Dictionary keys: int or string. (default: int)", valueName: "type"))
  var keys: String?

  @Option(
    help: ArgumentHelp(
      "Dictionary values: int or object. (default: int)", valueName: "type"))
  var values: String?

  @Option(
    help: ArgumentHelp(
      "Profile of a program in JSON; options override it.", valueName: "file"))
  var profile: String?

  /// Whether an option determines the mix.
  var haveMix: Bool { mix != nil || reads != nil }

  /// Returns the contents of `--profile`; `nil` without the option.
  func profileFile() throws(CommandError) -> ProfileFile? {
    try profile.map { path throws(CommandError) in try ProfileFile(contentsOf: path) }
  }

  /// Returns the types of `--keys` and `--values`, integers by default.
  func entryTypes() throws(CommandError) -> EntryTypes {
    let (keys, values) = (keys ?? "int", values ?? "int")
    guard let key = EntryTypes.Key(rawValue: keys) else {
      throw .unknown("type of key", keys, allowed: EntryTypes.Key.allCases.map(\.rawValue))
    }
    guard let value = EntryTypes.Value(rawValue: values) else {
      throw .unknown("type of value", values, allowed: EntryTypes.Value.allCases.map(\.rawValue))
    }
    return EntryTypes(key: key, value: value)
  }

  /// Returns the mix of `--mix` or `--reads`; `nil` without either.
  ///
  /// - Parameter workload: The value of `--workload`.
  /// - Throws: A usage error if the mix is malformed, or if more than one of the three options is
  ///   given.
  func operationMix(unless workload: String?) throws(CommandError) -> OperationMix? {
    let given = [("--workload", workload), ("--mix", mix), ("--reads", reads)]
      .filter { $0.1 != nil }.map(\.0)
    guard given.count <= 1 else {
      throw .usage("\(given.joined(separator: " and ")) exclude each other (allowed: one of them)")
    }
    let ofReads = try mixOfReads()
    guard let text = mix ?? ofReads else { return nil }
    do {
      return try OperationMix(parsing: text)
    } catch {
      throw .usage("--mix: \(error)")
    }
  }

  /// Returns the mix of `--reads` as text: the other operations are half inserts, rounded up, and
  /// half removals, so that the number of entries stays about the same.
  private func mixOfReads() throws(CommandError) -> String? {
    guard let reads else { return nil }
    let share = try OptionText("--reads", reads, allowed: 0...100).number(otherwise: 100)
    let removes = (100 - share) / 2
    return "read=\(share),insert=\(100 - share - removes),remove=\(removes)"
  }
}
