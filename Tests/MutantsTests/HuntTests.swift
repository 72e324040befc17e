import Mutants
import Testing

/// Hunts in the small: `scripts/test-mutants` runs all of them.
@Suite(.serialized, .timeLimit(.minutes(10))) struct HuntTests {
  private static let hunter = Hunter(seed: 1, limit: .seconds(300))

  /// One of those that a real thread finds needs no scheduler.
  static let onThreads = Zoo.mutants.filter {
    $0.hunt.tool == .threads && $0.name == "published-append"
  }

  @Test(arguments: onThreads)
  func `threads find a mutant`(_ mutant: Mutant) async {
    let result = await Self.hunter.run(mutant.hunt, named: mutant.name)
    #expect(result.finding != nil)
    #expect(result.replay?.contains(mutant.name) == true)
  }

  @Test(arguments: onThreads)
  func `threads find nothing in what it was made from`(_ mutant: Mutant) async {
    let hunter = Hunter(seed: 1, limit: .seconds(1))
    let result = await hunter.run(mutant.hunt.ofOriginal, named: "original")
    #expect(result.finding == nil)
    #expect(result.executions > 0)
  }

  #if Interleaving && Mutants
    /// Quick ones, of every kind of planting.
    static let underSchedules = [
      "published-check-then-act", "early-free", "double-retire", "unpin-not-releasing",
      "pin-not-sequential", "limbo-dropped-at-exit", "chain-not-published", "removal-not-done",
    ]

    @Test(arguments: underSchedules)
    func `schedules find a mutant, and nothing in what it was made from`(_ name: String)
      async throws
    {
      let mutant = try #require(Zoo.mutants.first { $0.name == name })
      let result = await Self.hunter.run(mutant.hunt, named: name)
      #expect(result.finding != nil)
      #expect(result.replay?.contains(name) == true)
      let hunter = Hunter(seed: 1, limit: .milliseconds(200))
      #expect(await hunter.run(mutant.hunt.ofOriginal, named: name).finding == nil)
    }
  #endif
}

extension Mutant: CustomTestStringConvertible {
  public var testDescription: String { name }
}
