import EpochReclamation
import Interleaving

/// What some threads do with a slot and its domain: small, so that few schedules are needed, and together
/// all that a participant ever does.
package enum ReclamationScenario: String, CaseIterable, ScheduledProgram {
  /// One thread reads while another replaces and a third advances.
  case readers
  /// The reader pins inside a pin, and reads behind the inner one.
  case nestedPins = "nested-pins"
  /// Two threads replace inside a pin of their own.
  case pinnedWriters = "pinned-writers"
  /// Two threads replace without a pin, and a third advances: all take each other's bags.
  case writers
  /// A thread ends with a node in its bag; the next one takes its record and what it left.
  case succession
  /// A reader stays pinned while many nodes are retired, and then goes on retiring.
  case backlog
  /// One thread alone: what it retires is reclaimed when it should be, and nowhere else.
  case bounds
  /// `readers` with a quiet reader, and nodes read for longer: a barrier on all threads orders what went
  /// before it, so that only a node used too late gives some defects away.
  case asymmetricReaders = "asymmetric-readers"
  /// Two threads are quiet, read, retire, which makes them loud, and begin again.
  case asymmetricWriters = "asymmetric-writers"

  /// A random walk finds most things soonest, but seldom lets one thread wait for long, as a reader must
  /// whose pin is overlooked.
  package var strategies: [Exploration.Strategy] {
    [.randomWalk, .probabilisticConcurrency(depth: 3)]
  }
}

#if Interleaving
  extension ReclamationScenario {
    package func run(in execution: Execution) {
      let isQuiet = self == .asymmetricReaders || self == .asymmetricWriters
      let domain = EpochDomain(
        pinning: isQuiet ? .asymmetric(afterPins: 0) : .exchanging,
        bagCapacity: self == .backlog ? 2 : 1, reportStall: { _ in })
      let slot = NodeSlot(domain)
      addThreads(to: execution, slot)
      execution.runThreads()
    }

    private func addThreads(to execution: Execution, _ slot: NodeSlot) {
      switch self {
      case .asymmetricReaders:
        execution.thread("writer") { Self.replace(slot, times: 3) }
        execution.thread("reader") {
          slot.domain.pin {}  // Makes it quiet.
          for _ in 0..<2 { slot.readLong() }
        }
        execution.thread("advancer") { slot.domain.advance() }
      case .readers:
        execution.thread("writer") { Self.replace(slot, times: 3) }
        execution.thread("reader") { for _ in 0..<2 { slot.read() } }
        execution.thread("advancer") { slot.domain.advance() }
      case .nestedPins:
        execution.thread("writer") { Self.replace(slot, times: 3) }
        execution.thread("reader") { Self.readNested(slot) }
      case .pinnedWriters:
        for name in ["one", "other"] {
          execution.thread(name) { Self.replacePinned(slot, times: 3) }
        }
        execution.thread("reader") { slot.read() }
      case .writers:
        for name in ["one", "other"] {
          execution.thread(name) { Self.replace(slot, times: 3) }
        }
        execution.thread("advancer") { slot.domain.advance() }
      case .asymmetricWriters:
        for name in ["one", "other"] {
          execution.thread(name) { Self.readAndReplace(slot, times: 2) }
        }
        execution.thread("advancer") { slot.domain.advance() }
      case .succession:
        execution.thread("reader") { slot.read() }
        execution.thread("first") { slot.replace(1) }
        execution.thread("second") { Self.replace(slot, times: 2) }
        execution.thread("last") { slot.domain.advance() }
      case .backlog:
        execution.thread("writer") { Self.replace(slot, times: 9) }
        execution.thread("reader") { slot.read() }
      case .bounds:
        execution.thread("alone") { Self.checkBounds(slot, execution) }
      }
    }

    private static func replace(_ slot: NodeSlot, times: Int) {
      for number in 1...times { slot.replace(number) }
    }

    private static func readAndReplace(_ slot: NodeSlot, times: Int) {
      slot.domain.pin {}  // Makes it quiet.
      for number in 1...times {
        slot.readLong()
        slot.replace(number)
      }
    }

    private static func replacePinned(_ slot: NodeSlot, times: Int) {
      for number in 1...times { slot.domain.pin { slot.replace(number) } }
    }

    private static func readNested(_ slot: NodeSlot) {
      slot.domain.pin {
        slot.domain.pin {}
        _ = slot.readPinned()
      }
    }

    /// What `EpochDomain` states of a domain with nobody pinned, and of the moment at which it reclaims.
    private static func checkBounds(_ slot: NodeSlot, _ execution: Execution) {
      for _ in 1...8 {
        slot.replace(1)
        execution.require(
          slot.domain.telemetry.backlog <= 1, "an entry is kept for more than two epochs")
      }
      slot.domain.pin {
        let before = slot.domain.telemetry.reclaimed
        slot.replace(2)
        execution.require(
          slot.domain.telemetry.reclaimed == before, "an entry is reclaimed inside a pin")
      }
      slot.domain.advance()
      execution.require(
        slot.domain.telemetry.backlog == 0, "entries are kept after an advance with nobody pinned")
    }
  }
#endif
