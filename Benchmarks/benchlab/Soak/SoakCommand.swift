import ArgumentParser
import BenchmarkCommands
import Benchmarking
import Charts
import Measurements
import Primitives
import Reporting
import TerminalIO
import WeakCollections
import Workloads

/// Uses collections for minutes and tells whether what they hold in memory grows with use.
struct SoakCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak",
    abstract: "Use collections for minutes; find live bytes that grow.",
    discussion: """
      The collections are used in turn, on the same threads. After each turn everything stands still and \
      jemalloc is asked for the live bytes. The first fifth of the samples is warm-up; through the rest \
      goes a Theil-Sen line. A collection grows if the line's slope is above nothing with 99 % confidence \
      and comes to a page or more; the exit status is then 1, and 3 if there are too few samples to tell.

      EXAMPLES:
        benchlab soak --minutes 10
        benchlab soak --minutes 0.5 --backend published-queue
      """)

  @OptionGroup var options: SoakOptions

  func run() async throws {
    let plan = try SoakPlan(
      options, usableCores: Host.usableCores, drawnSeed: .drawn())
    let destination = options.csv.map(OutputDestination.init(ofNew:))
    try destination?.check()
    guard LiveBytes.now != nil else {
      throw CommandError.usage(
        "live bytes are not known: this build uses the system's allocator "
          + "(scripts/soak builds with one that tells)")
    }
    let isDrawing = Terminal.isFree(of: destination ?? .new(path: "")) && !options.noProgress
    let journal = SoakJournal(plan, destination, drawsProgress: isDrawing)
    Interruption.observe { journal.end(as: .interrupted) }
    Console.note(
      "\(NumberText.duration(seconds: plan.seconds)) for \(plan.specifications.count) collections; "
        + "--seed \(plan.seed) repeats the keys")
    try await Soak.with(plan.specifications) { soak in await Self.use(soak, plan, journal) }
    journal.end(as: .fine)
  }

  /// Turn after turn until the time is up, then verifies every collection.
  private static func use(_ soak: Soak, _ plan: SoakPlan, _ journal: SoakJournal) async {
    while !journal.isTimeUp {
      for index in plan.specifications.indices {
        journal.drawProgress(plan.specifications[index])
        if let sample = await soak.use(index, forSeconds: plan.turnSeconds) {
          journal.add(sample, to: index)
        }
      }
    }
    for index in plan.specifications.indices {
      if let reason = await soak.verify(index) { journal.fail(index, reason) }
    }
  }
}

/// The options of `soak`, as typed; `SoakPlan` validates them.
struct SoakOptions: ParsableArguments {
  @Option(parsing: .unconditional, help: "How long in all, also parts such as 0.5. (default: 10)")
  var minutes: String?

  @Option(help: "weak-array, dictionary, weak-set. (default: the first two)")
  var collection: String?

  @Option(help: "Backends or peers; see list. (default: mutex,lock-free)")
  var backend: String?

  @Option(help: "Workloads; see list. (default: churn for arrays, exchange for dictionaries)")
  var workload: String?

  @Option(parsing: .unconditional, help: "Worker threads. (default: the cores)")
  var threads: String?

  @Option(parsing: .unconditional, help: "Entries in the collection. (default: 256)")
  var size: String?

  @Option(parsing: .unconditional, help: "What repeats the keys and operations. (default: drawn)")
  var seed: String?

  @Option(help: "A new file for the samples; - is standard output. (default: none)")
  var csv: String?

  @Flag(help: "Draw no progress bar.")
  var noProgress = false
}

/// The validated options of `soak`.
struct SoakPlan: Sendable {
  let specifications: [TrialSpecification]
  let seconds: Double
  let seed: Seed
  /// How long one collection is used before the next one's turn.
  let turnSeconds: Double

  init(_ options: SoakOptions, usableCores: Int, drawnSeed: Seed) throws(CommandError) {
    let collections = try Selection.collections(options.collection)
    let contestants = try Selection.contestants(
      named: options.backend ?? "mutex,lock-free", of: collections)
    let workloads = try Selection.workloads(
      named: options.workload ?? Self.workloads(for: collections), for: collections)
    let threads = try OptionText("--threads", options.threads, allowed: 1...1024)
      .number(otherwise: usableCores)
    let size = try OptionText("--size", options.size, allowed: 1...10_000_000)
      .number(otherwise: 256)
    seconds =
      60
      * (try OptionText("--minutes", options.minutes, allowed: 1...10_000).seconds(otherwise: 10))
    seed = try Seed(option: options.seed, otherwise: drawnSeed)

    let plan = TrialPlan(
      contestants: contestants, workloads: workloads, threads: [threads], sizes: [size], trials: 1,
      seed: seed, warmupSeconds: 0, seconds: 0)
    specifications = plan.specifications
    if specifications.isEmpty { throw Selection.nothingToRun(contestants, workloads) }
    // Enough samples for a narrow interval; turns of a second are long enough for anything.
    turnSeconds = min(1, seconds / Double(specifications.count * 150))
  }

  private static func workloads(for collections: [CollectionKind]) -> String {
    collections.map { $0 == .dictionary ? "exchange" : "churn" }.joined(separator: ",")
  }
}
