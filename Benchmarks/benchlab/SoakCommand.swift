import BenchmarkCommands
import TerminalIO
import ArgumentParser
import Benchmarking
import Charts
import Primitives
import Reporting
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
