import EpochReclamation
import Interleaving
import Primitives

/// What some threads do with a slot and its domain: small, so that few schedules are needed, and
/// together all that a participant ever does.
enum ReclamationScenario: String, CaseIterable, ScheduledProgram {
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
  /// `readers` with an asymmetric reader, and nodes read for longer: a barrier on all threads
  /// orders what went before it, so that only a node used too late gives some defects away.
  case asymmetricReaders = "asymmetric-readers"
  /// Two threads pin asymmetrically, read, and retire, which makes their pins fenced; then they
  /// begin again.
  case asymmetricWriters = "asymmetric-writers"
  /// A reader stays pinned from before the retire of its node until an advance has ended. The
  /// writer advances too.
  case longRead = "long-read"
  /// `longRead` with a writer that only retires.
  case passiveWriter = "passive-writer"
  /// A thread reads while another replaces and releases; a third is the library's thread.
  case releasing
  /// `releasing` with an asymmetric reader.
  case asymmetricReleasing = "asymmetric-releasing"

  /// A random walk finds most things soonest, but seldom lets one thread wait for long, as a reader
  /// must whose pin is overlooked.
  var strategies: [Exploration.Strategy] {
    [.randomWalk, .probabilisticConcurrency(depth: 3)]
  }
}

extension ReclamationScenario {
  func run(in execution: Execution) {
    let isAsymmetric =
      [.asymmetricReaders, .asymmetricWriters, .asymmetricReleasing].contains(self)
    let domain = EpochDomain(
      pinning: isAsymmetric ? .asymmetric(afterPins: 0) : .exchanging,
      bagCapacity: self == .backlog || self == .passiveWriter ? 2 : 1, reportStall: { _ in })
    let slot = NodeSlot(domain)
    addThreads(to: execution, slot)
    execution.runThreads()
  }

  private func addThreads(to execution: Execution, _ slot: NodeSlot) {
    switch self {
    case .asymmetricReaders:
      execution.thread("writer") { Self.replace(slot, times: 3) }
      execution.thread("reader") {
        slot.domain.pin {}  // Makes it asymmetric.
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
    case .releasing, .asymmetricReleasing:
      execution.thread("writer") { for number in 1...2 { slot.replaceAndRelease(number) } }
      execution.thread("reader") {
        slot.domain.pin {}  // Makes it asymmetric.
        for _ in 0..<2 { slot.readLong() }
      }
      execution.thread("library") { slot.domain.actAsReleaser(rounds: 4) }
    case .longRead, .passiveWriter: Self.addLongRead(to: execution, slot)
    case .bounds:
      execution.thread("alone") { Self.checkBounds(slot, execution) }
    }
  }

  private static func addLongRead(to execution: Execution, _ slot: NodeSlot) {
    var isLoaded = false
    var isOver = false
    execution.thread("advancer") {
      slot.domain.advance()
      isOver = true
    }
    execution.thread("reader") {
      slot.read {
        isLoaded = true
        while !isOver { spinHint() }
      }
    }
    execution.thread("writer") {
      while !isLoaded { spinHint() }
      slot.replace(1)
    }
  }

  private static func replace(_ slot: NodeSlot, times: Int) {
    for number in 1...times { slot.replace(number) }
  }

  private static func readAndReplace(_ slot: NodeSlot, times: Int) {
    slot.domain.pin {}  // Makes it asymmetric.
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

  /// What `EpochDomain` states of a domain with nobody pinned, and of the moment at which it
  /// reclaims.
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

/// A node that holds a number: made, read, retired and reclaimed as the nodes of our structures
/// are.
enum PlainNode: Reclaimable {
  static func make(_ number: Int) -> UnsafeMutableRawPointer {
    let node = NodeMemory.allocate(Int.self)
    node.writing().initialize(to: number)
    return UnsafeMutableRawPointer(node)
  }

  static func number(of node: UnsafeMutableRawPointer) -> Int {
    node.assumingMemoryBound(to: Int.self).reading().pointee
  }

  static func reclaim(_ node: UnsafeMutableRawPointer) {
    node.assumingMemoryBound(to: Int.self).writing().deinitialize(count: 1)
    NodeMemory.deallocate(node)
  }
}

/// The smallest structure there is: one slot, with one node in it at any time.
// @unchecked: the node is atomic, and its memory the domain's care.
final class NodeSlot: @unchecked Sendable {
  private let node: Atomic<UnsafeMutableRawPointer>
  let domain: EpochDomain

  init(_ domain: EpochDomain) {
    self.domain = domain
    node = Atomic(PlainNode.make(0))
  }

  deinit {
    noteLastRelease(of: self)
    // Relaxed: nobody else has the slot any more.
    PlainNode.reclaim(node.load(ordering: .relaxed))
  }

  /// Reads the node under a pin.
  @discardableResult
  func read() -> Int {
    domain.pin { readPinned() }
  }

  /// Reads the node; the caller has pinned.
  @discardableResult
  func readPinned() -> Int {
    // Sequentially consistent, as is every load of a structure under a pin.
    PlainNode.number(of: node.load(ordering: .sequentiallyConsistent))
  }

  /// Reads the node under a pin, after `wait`.
  func read(after wait: () -> Void) {
    domain.pin {
      // Sequentially consistent, as every load of a structure under a pin.
      let node = node.load(ordering: .sequentiallyConsistent)
      wait()
      _ = PlainNode.number(of: node)
    }
  }

  /// Reads the node under a pin, and once more after other threads' steps: a scheduler runs them
  /// only between two atomic ones.
  func readLong() {
    domain.pin {
      // Sequentially consistent, as every load of a structure under a pin.
      let node = node.load(ordering: .sequentiallyConsistent)
      for _ in 0..<2 {
        _ = PlainNode.number(of: node)
        readPinned()
      }
      _ = PlainNode.number(of: node)
    }
  }

  /// Puts another node in the place of the one that is there, and retires that.
  func replace(_ number: Int) {
    // Sequentially consistent, as whoever retires must have unlinked.
    let old = node.exchange(PlainNode.make(number), ordering: .sequentiallyConsistent)
    domain.retire(old, as: PlainNode.self)
  }

  /// Puts another node in the place of the one that is there, and releases that.
  func replaceAndRelease(_ number: Int) {
    // Sequentially consistent, as whoever releases must have unlinked.
    let old = node.exchange(PlainNode.make(number), ordering: .sequentiallyConsistent)
    domain.release(old, as: PlainNode.self)
  }
}
