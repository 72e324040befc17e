import TerminalIO
import Charts
import Reporting

#if Mutants && Interleaving
  import Foundation
  import Interleaving
  import Mutants
  import Workloads

  /// Hunts for one mutant after the other, then through the code as it is, and shows what came of it.
  struct MutantsRun {
    private let plan: MutantsPlan
    private var table = MutantsTable()
    private var done = 0

    init(_ plan: MutantsPlan) {
      self.plan = plan
    }

    consuming func run() async -> Never {
      let begin = ContinuousClock.now
      for mutant in plan.mutants { table.mutants.append(await row(for: mutant)) }
      for mutant in plan.equivalents {
        table.equivalents.append(await row(for: mutant, mustComeToNothing: true))
      }
      for hunt in plan.originals {
        let result = await run(hunt, named: hunt.ground, mustComeToNothing: true)
        table.originals.append(MutantsTable.Row(hunt, result))
      }
      end(after: ContinuousClock.now - begin)
    }

    private mutating func row(
      for mutant: Mutant, mustComeToNothing: Bool = false
    ) async -> MutantsTable.Row {
      MutantsTable.Row(
        mutant,
        await run(mutant.hunt, named: mutant.name, mustComeToNothing: mustComeToNothing))
    }

    private mutating func run(
      _ hunt: Hunt, named name: String, mustComeToNothing: Bool
    ) async -> Catch {
      note(name)
      let limit = plan.limit(of: hunt, mustComeToNothing: mustComeToNothing)
      return await Hunter(seed: plan.seed.value, limit: limit).run(hunt, named: name)
    }

    private mutating func note(_ name: String) {
      done += 1
      let total = plan.mutants.count + plan.equivalents.count + plan.originals.count
      Console.note("\(done)/\(total) \(name)")
    }

    private func end(after elapsed: Duration) -> Never {
      Console.note(
        "\(table.summary) (\(NumberText.duration(seconds: elapsed / .seconds(1))), --seed \(plan.seed))"
      )
      do {
        try OutputFile(opening: plan.output).write(table.text(as: plan.format))
      } catch {
        Console.exit(with: error)
      }
      // Not `exit`: threads may hang, and nothing is buffered.
      _exit((table.isFine ? ExitStatus.fine : .found).rawValue)
    }
  }

  extension MutantsCommand {
    /// Shows every step of a schedule, and what it comes to.
    static func replay(_ schedule: Schedule, _ mutants: [Mutant]) throws {
      guard let failure = Hunter.replay(schedule, of: mutants[0].hunt)?.failure else {
        return Console.note("nothing found")
      }
      if case .scheduleMismatch = failure.failure {
        throw CommandError.usage("--replay: \(failure.failure)")
      }
      for step in failure.trace { Console.print("\(step)") }
      throw CommandError(status: .found, description: "found: \(failure.failure)")
    }
  }

  extension MutantsTable.Row {
    fileprivate init(_ mutant: Mutant, _ result: Catch) {
      self.init(
        name: mutant.name, part: mutant.part.rawValue,
        defect: mutant.equivalence.map { "\(mutant.defect): \($0)" } ?? mutant.defect,
        tool: mutant.hunt.tool.rawValue, result)
    }

    fileprivate init(_ hunt: Hunt, _ result: Catch) {
      self.init(name: hunt.ground, part: "", defect: "", tool: hunt.tool.rawValue, result)
    }

    private init(name: String, part: String, defect: String, tool: String, _ result: Catch) {
      self.init(
        name: name, part: part, defect: defect, tool: tool, finding: result.finding,
        executions: result.executions, seconds: result.elapsed / .seconds(1),
        replay: result.replay)
    }
  }
#endif
