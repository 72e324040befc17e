import BenchmarkCommands
import TerminalIO
import ArgumentParser
import Choosing
import WeakCollections
import Workloads

/// The question to `choose`, as typed.
///
/// A help text is one line of at most 54 characters, so that the help fits one screen.
struct ChoiceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("weak-array, dictionary or weak-set.", valueName: "name"))
  var collection: String?

  @Option(help: ArgumentHelp("A workload; see weakbench list.", valueName: "name"))
  var workload: String?

  @OptionGroup var operations: OperationOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Concurrent threads. (default: one per core)", valueName: "number"))
  var threads: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Cores of the program. (default: as in the rows)", valueName: "number"))
  var cores: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Entries in the collection. (default: 1024)", valueName: "number"))
  var entries: String?

  @Option(
    help: ArgumentHelp("Weight of bytes, from 0 to 1. (default: 0)", valueName: "value"))
  var memoryWeight: String?

  @Flag(help: "Choose only backends that need no await.")
  var synchronousOnly = false

  var isEmpty: Bool {
    [
      collection, workload, threads, cores, entries, memoryWeight, operations.profile,
      operations.mix, operations.reads, operations.keys, operations.values,
    ].allSatisfy { $0 == nil } && !synchronousOnly
  }

  /// Returns the profile that the options and the file describe.
  ///
  /// - Parameters:
  ///   - file: The contents of `--profile`.
  ///   - cores: The number of cores if neither has it.
  /// - Throws: `CommandError`, whose one line lists the allowed values.
  func workloadProfile(
    _ file: ProfileFile?, otherwiseCores cores: Int
  ) throws(CommandError) -> WorkloadProfile {
    let collection = try collection(file)
    let givenMix = try operations.operationMix(unless: workload)
    let name = workload ?? (givenMix == nil ? file?.workload : nil)
    let workload = try name.flatMap { name throws(CommandError) in
      try Selection.workloads(named: name, for: [collection]).first
    }
    guard let mix = workload?.mix ?? givenMix ?? file?.shares else {
      throw .usage("the workload is missing (allowed: --reads, --mix, --workload or --profile)")
    }
    let types = [("--keys", operations.keys), ("--values", operations.values)]
    if let option = types.first(where: { $0.1 != nil })?.0, collection != .dictionary {
      throw .usage("\(option) is for dictionaries (allowed: with --collection dictionary)")
    }
    // A workload determines its own live fraction and churn, as it determines its shares.
    let mixFile = workload == nil ? file : nil
    let cores = try givenCores(file) ?? cores
    return WorkloadProfile(
      collection: collection, workload: workload?.name,
      shares: OperationShares(mix),
      threads: try number(
        "--threads", threads, WorkloadProfile.threadsInFiles, file?.threads ?? cores),
      cores: cores,
      entries: try number(
        "--entries", entries, WorkloadProfile.entriesInFiles,
        file?.entries ?? StandardMatrix.entries),
      liveFraction: mixFile?.liveFraction ?? 1, churn: mixFile?.churn ?? 0,
      keyDistribution: file?.keyDistribution ?? WorkloadProfile.uniformKeys,
      memoryWeight: try weight() ?? file?.memoryWeight ?? 0,
      synchronousOnly: synchronousOnly || file?.synchronousOnly == true)
  }

  /// Returns the number of cores from the options or the file, or `nil` if neither has it.
  func givenCores(_ file: ProfileFile?) throws(CommandError) -> Int? {
    try cores.map { text throws(CommandError) in
      try number("--cores", text, WorkloadProfile.threadsInFiles, 1)
    } ?? file?.cores
  }

  /// Returns the numbers that neither an option nor the file has.
  func assumptions(_ file: ProfileFile?) -> Set<Assumption> {
    let given: [(Assumption, Bool)] = [
      (.threads, threads != nil || file?.threads != nil),
      (.cores, cores != nil || file?.cores != nil),
      (.entries, entries != nil || file?.entries != nil),
    ]
    return Set(given.filter { !$0.1 }.map(\.0))
  }

  private func weight() throws(CommandError) -> Double? {
    guard let memoryWeight else { return nil }
    guard let weight = Double(memoryWeight), (0...1).contains(weight) else {
      throw .usage(
        "--memory-weight \(memoryWeight.quotedOnOneLine) (allowed: a number from 0 to 1)")
    }
    return weight
  }

  private func number(
    _ option: String, _ text: String?, _ allowed: ClosedRange<Int>, _ standard: Int
  ) throws(CommandError) -> Int {
    try OptionText(option, text, allowed: allowed).number(otherwise: standard)
  }

  private func collection(_ file: ProfileFile?) throws(CommandError) -> CollectionKind {
    // Only dictionaries have keys and values.
    let kind =
      file?.collection
      ?? (operations.keys ?? operations.values).map { _ in CollectionKind.dictionary }
    let found = try Selection.collections(collection, otherwise: kind.map { [$0] } ?? [])
    guard found.count == 1, let collection = found.first else {
      let wrong = found.isEmpty ? "--collection is missing" : "\(found.count) collections are given"
      throw .usage(
        "\(wrong), but choose needs one (allowed: --collection with one "
          + "of \(CollectionKind.allCases.map(\.rawValue).joined(separator: ", ")), or a profile "
          + "that has it)")
    }
    return collection
  }
}
