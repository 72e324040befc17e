import BenchmarkCommands
import TerminalIO
import ArgumentParser
import Choosing
import Primitives
import WeakCollections
import Workloads

/// The question to `choose`, as typed.
struct ChoiceOptions: ParsableArguments {
  @Option(help: "What the program does, in a file of JSON; the other options win over it.")
  var profile: String?

  @Option(help: "weak-array, dictionary, weak-set.")
  var collection: String?

  @Option(help: "A workload; see list.")
  var workload: String?

  @Option(help: "Instead of a workload, shares in percent: read=95,insert=3,remove=2.")
  var mix: String?

  @Option(parsing: .unconditional, help: "Threads that use the collection at once. (default: 1)")
  var threads: String?

  @Option(
    parsing: .unconditional,
    help: "Cores the program may use. (default: those of the rows, or this machine's)")
  var cores: String?

  @Option(parsing: .unconditional, help: "Entries in the collection. (default: 1024)")
  var size: String?

  @Option(help: "How much bytes count against time, from 0 to 1. (default: 0)")
  var memoryWeight: String?

  @Flag(help: "The code has no await.")
  var synchronousOnly = false

  var isEmpty: Bool {
    [profile, collection, workload, mix, threads, cores, size, memoryWeight].allSatisfy {
      $0 == nil
    }
      && !synchronousOnly
  }

  /// Checked; the error is one line that lists what is allowed.
  func workloadProfile(
    otherwiseCores cores: Int = Host.usableCores
  ) throws(CommandError) -> WorkloadProfile {
    var file: ProfileFile?
    if let profile { file = try ProfileFile(contentsOf: profile) }
    let collection = try collection(file)
    let workload = try namedWorkload(file, collection)
    let given = try givenMix(file)
    guard let mix = workload?.mix ?? given else {
      throw .usage("choose needs to know the work (allowed: --workload, --mix or --profile)")
    }
    // A workload has its own, as it has its own shares.
    let ofMix = workload == nil ? file : nil
    return WorkloadProfile(
      collection: collection, workload: workload?.name,
      shares: OperationShares(mix),
      threads: try number("--threads", threads, WorkloadProfile.threadsInFiles, file?.threads ?? 1),
      cores: try givenCores() ?? cores,
      size: try number(
        "--size", size, WorkloadProfile.sizesInFiles, file?.size ?? StandardMatrix.size),
      liveFraction: ofMix?.liveFraction ?? 1, churn: ofMix?.churn ?? 0,
      keyDistribution: file?.keyDistribution ?? WorkloadProfile.uniformKeys,
      memoryWeight: try weight() ?? file?.memoryWeight ?? 0,
      synchronousOnly: synchronousOnly || file?.synchronousOnly == true)
  }

  /// What was said of the cores, if anything was.
  func givenCores() throws(CommandError) -> Int? {
    if cores != nil { return try number("--cores", cores, WorkloadProfile.threadsInFiles, 1) }
    return try profile.map { path throws(CommandError) in try ProfileFile(contentsOf: path) }?.cores
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
    let found = try Selection.collections(
      collection, otherwise: file?.collection.map { [$0] } ?? [])
    guard found.count == 1, let collection = found.first else {
      throw .usage(
        "choose needs one collection (allowed: --collection with one of "
          + "\(CollectionKind.allCases.map(\.rawValue).joined(separator: ", ")), or a profile that "
          + "has it)")
    }
    return collection
  }

  private func namedWorkload(
    _ file: ProfileFile?, _ collection: CollectionKind
  ) throws(CommandError) -> Workload? {
    guard let name = workload ?? (mix == nil ? file?.workload : nil) else { return nil }
    if mix != nil {
      throw .usage("--workload and --mix exclude each other (allowed: one of them)")
    }
    return try Selection.workloads(named: name, for: [collection]).first
  }

  private func givenMix(_ file: ProfileFile?) throws(CommandError) -> OperationMix? {
    guard let mix else { return file?.shares }
    return try Selection.mix(mix)
  }
}
