#if Interleaving && Mutants
import Interleaving
import Primitives
import EpochReclamation
package func tryAll() throws {
  Defect.plant(.earlyFree)
  for order in 0..<4 {
    let plan = Exploration(strategy: .randomWalk, seed: 1, executions: 3000)
    var sum = 0
    let out = plan.run { execution in
      let domain = EpochDomain(bagCapacity: 1, reportStall: { _ in })
      let slot = NodeSlot(domain)
      if order & 1 == 0 { execution.thread("w") { for n in 1...2 { slot.replace(n) } } }
      execution.thread("r") { sum += slot.read() }
      if order & 1 == 1 { execution.thread("w") { for n in 1...2 { slot.replace(n) } } }
      if order & 2 == 2 { execution.thread("a") { domain.advance() } }
      execution.runThreads()
      if sum > 1000 { execution.fail("x") }
    }
    print(order, out.executions, out.failure.map { "\($0.failure)" } ?? "-", sum)
    for s in out.failure?.trace ?? [] { print("   ", s) }
  }
}
#endif
