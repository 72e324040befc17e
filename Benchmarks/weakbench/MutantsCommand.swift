import ArgumentParser
#if Mutants
import Mutants
#endif
struct MutantsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "mutants", abstract: "x")
  @Option var limit = 5
  @Option var only = ""
  @Option var seed: UInt64 = 1
  @Flag var originals = false
  func run() async throws {
    #if Mutants
    let hunter = Hunter(seed: seed, limit: .seconds(limit))
    for mutant in originals ? Zoo.originals : Zoo.mutants where mutant.name.hasPrefix(only) {
      let c = await hunter.run(mutant.hunt, named: mutant.name)
      print(mutant.name, mutant.hunt.ground, c.executions, c.elapsed, c.finding ?? "-", separator: " | ")
      if only != "" { print("    ", c.replay ?? "-") }
    }
    #endif
  }
}
