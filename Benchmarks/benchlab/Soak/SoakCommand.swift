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

/// The command `soak`, which uses collections for minutes and detects live bytes that grow with the
/// number of operations.
struct SoakCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak",
    abstract: "Use collections for minutes, and detect live bytes that grow.",
    usage: "benchlab soak [<options>]",
    discussion: """
      Status 0: live bytes are flat; 1: they grow, or a collection breaks its contract; \
      3: too few samples. See docs/benchmarking.md.

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
        "live bytes need a build with the trait Jemalloc "
          + "(allowed: scripts/benchlab soak, "
          + "or swift run -c release --traits Jemalloc benchlab soak)")
    }
    let isDrawing =
      Terminal.isFree(of: destination ?? .new(path: "")) && !options.progress.noProgress
    let journal = SoakJournal(plan, destination, drawsProgress: isDrawing)
    Interruption.observe { journal.end(as: .interrupted) }
    Console.note(
      "\(NumberText.duration(seconds: plan.seconds)) for \(plan.specifications.count) collections; "
        + "--seed \(plan.seed) repeats the keys")
    try await Soak.with(plan.specifications) { soak in await Self.use(soak, plan, journal) }
    journal.end(as: .fine)
  }

  /// Uses the collections in turns until the time is up, then verifies each.
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
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Duration in minutes, such as 0.5. (default: 10)", valueName: "number"))
  var minutes: String?

  @Option(
    help: ArgumentHelp("Abstract types. (default: weak-array,dictionary)", valueName: "names"))
  var collection: String?

  @Option(
    help: ArgumentHelp("Backends or peers. (default: mutex,lock-free)", valueName: "names"))
  var backend: String?

  @Option(
    help: ArgumentHelp("Workloads. (default: `churn`, `exchange`)", valueName: "names"))
  var workload: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Worker threads. (default: number of cores)", valueName: "number"))
  var threads: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Entries in the collection. (default: 256)", valueName: "number"))
  var entries: String?

  @OptionGroup var seed: SeedOption

  @Option(
    help: ArgumentHelp(
      "New file, - is standard output. (default: none)", valueName: "file"))
  var csv: String?

  @OptionGroup var progress: ProgressOption
}

/// The validated options of `soak`.
struct SoakPlan: Sendable {
  let specifications: [TrialSpecification]
  let seconds: Double
  let seed: Seed
  /// The duration of one collection's turn.
  let turnSeconds: Double

  init(_ options: SoakOptions, usableCores: Int, drawnSeed: Seed) throws(CommandError) {
    let collections = try Selection.collections(options.collection)
    let contestants = try Selection.contestants(
      named: options.backend ?? "mutex,lock-free", of: collections)
    let workloads = try Selection.workloads(
      named: options.workload ?? Self.workloads(for: collections), for: collections)
    let threads = try OptionText("--threads", options.threads, allowed: 1...1024)
      .number(otherwise: usableCores)
    let entries = try OptionText("--entries", options.entries, allowed: 1...10_000_000)
      .number(otherwise: 256)
    seconds =
      60
      * (try OptionText("--minutes", options.minutes, allowed: 1...10_000).seconds(otherwise: 10))
    seed = try options.seed.seed(otherwise: drawnSeed)

    let plan = TrialPlan(
      contestants: contestants, workloads: workloads, threads: [threads], entries: [entries],
      trials: 1,
      seed: seed, warmupSeconds: 0, seconds: 0)
    specifications = plan.specifications
    if specifications.isEmpty { throw Selection.nothingToRun(contestants, workloads) }
    // Short turns give enough samples for a narrow interval. A turn of more than a second has no
    // advantage.
    turnSeconds = min(1, seconds / Double(specifications.count * 150))
  }

  private static func workloads(for collections: [CollectionKind]) -> String {
    collections.map { $0 == .dictionary ? "exchange" : "churn" }.joined(separator: ",")
  }
}
