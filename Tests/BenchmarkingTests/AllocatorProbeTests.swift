import Dispatch
import Measurements
import Primitives
import Testing
import Threading
import WeakCollections
import Workloads

@testable import Benchmarking

/// Bytes with known answers, each in a process of its own: the probe counts the whole process.
@Suite(.enabled(if: AllocatorProbe.isAvailable, "needs the trait Jemalloc"))
struct AllocatorProbeTests {
  @Test func `64 bytes an operation, allocated on a Dispatch thread, are 64`() async {
    await #expect(processExitsWith: .success) {
      await expectBytes(of: { Served<Allocating>($0) }, allocated: 64, freed: 0)
    }
  }

  @Test func `64 bytes an operation, freed on another thread, are 64`() async {
    await #expect(processExitsWith: .success) {
      await expectBytes(of: { Served<Freeing>($0) }, allocated: 0, freed: 64)
    }
  }

  @Test func `nothing allocated is nothing`() async {
    await #expect(processExitsWith: .success) {
      await expectBytes(of: { AllocatingNothing($0) }, allocated: 0, freed: 0)
    }
  }

  @Test func `a wrong answer would be noticed`() async {
    await #expect(processExitsWith: .failure) {
      await expectBytes(of: { Served<Allocating>($0) }, allocated: 60, freed: 0)
    }
  }

  @Test func `the peak holds what was freed again`() async {
    await #expect(processExitsWith: .success) {
      let probe = AllocatorProbe()
      probe.resetPeak()
      let before = probe.bytes.live
      UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16).deallocate()
      precondition(probe.bytes.peakLive - before >= 1 << 20, "the block was live once")
      precondition(probe.bytes.live - before < 1 << 16, "the block is freed")
    }
  }
}

/// Traps unless an operation allocates and frees that many bytes, within one.
private func expectBytes(
  of makeSubject: @escaping SubjectFactory, allocated: Double, freed: Double
) async {
  let phase = BytePhase(
    specification: .example(), makeSubject: makeSubject, operations: [20_000])
  let bytes = await OwnedThreadExecutor.with(1) { await phase.run(on: $0) }
  let found = (bytes?.bytes.allocatedPerOperation ?? .nan, bytes?.bytes.freedPerOperation ?? .nan)
  precondition(
    abs(found.0 - allocated) <= 1 && abs(found.1 - freed) <= 1,
    "expected \(allocated) and \(freed) bytes, found \(found)")
}

/// A thread that is not the worker's, which does one thing for each request.
private final class Servant: Sendable {
  private final class Desk: Sendable {
    let requests = Atomic<Int>(0)
    let served = Atomic<Int>(0)
    let isClosed = Atomic(false)
  }

  private let desk = Desk()

  /// Serves on a Dispatch thread until the servant is released.
  init(_ serve: @escaping @Sendable (Int) -> Void) {
    DispatchQueue(label: "servant").async { [desk] in
      var count = 0
      while !desk.isClosed.load(ordering: .acquiring) {
        guard desk.requests.load(ordering: .acquiring) > count else { continue }
        serve(count)
        count += 1
        desk.served.store(count, ordering: .releasing)
      }
    }
  }

  deinit {
    desk.isClosed.store(true, ordering: .releasing)
  }

  /// Returns when the request has been served.
  func request() {
    let number = desk.requests.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    while desk.served.load(ordering: .acquiring) < number { spinHint() }
  }
}

private struct ServedWorker: TrialWorker {
  let servant: Servant
  func operate() async { servant.request() }
}

/// Room for the pointers of all operations.
private final class Blocks: @unchecked Sendable {
  // @unchecked: the servant alone touches it while operations run.
  static let count = 20_000
  private let blocks = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: count)

  init(filled: Bool) {
    for index in 0..<Self.count {
      (blocks + index).initialize(to: filled ? Self.block() : nil)
    }
  }

  deinit {
    for index in 0..<Self.count { blocks[index]?.deallocate() }
    blocks.deallocate()
  }

  func fill(_ index: Int) { blocks[index] = Self.block() }

  func free(_ index: Int) {
    blocks[index]?.deallocate()
    blocks[index] = nil
  }

  private static func block() -> UnsafeMutableRawPointer {
    .allocate(byteCount: 64, alignment: 16)
  }
}

/// What a servant does for each request.
private protocol Service: SendableMetatype {
  static func serve(_ blocks: Blocks, _ index: Int)
  static var startsFilled: Bool { get }
}

private struct Served<S: Service>: TrialSubject {
  private let servant: Servant

  init(_ specification: TrialSpecification) {
    let blocks = Blocks(filled: S.startsFilled)
    servant = Servant { index in S.serve(blocks, index) }
  }

  func start() {}
  func fill(_ count: Int) async {}
  func empty() async {}
  func worker(at index: Int, prefilled: Int) -> AnyWorker {
    AnyWorker(ServedWorker(servant: servant))
  }
  func verify(_ findings: [WorkerFindings]) async -> String? { nil }
  var lifetimes: LifetimeCounter? { nil }
}

private enum Allocating: Service {
  static func serve(_ blocks: Blocks, _ index: Int) { blocks.fill(index) }
  static var startsFilled: Bool { false }
}

private enum Freeing: Service {
  static func serve(_ blocks: Blocks, _ index: Int) { blocks.free(index) }
  static var startsFilled: Bool { true }
}

private struct AllocatingNothing: TrialSubject {
  struct Worker: TrialWorker {
    var sum = 0
    mutating func operate() async { sum += 1 }
  }
  init(_ specification: TrialSpecification) {}
  func start() {}
  func fill(_ count: Int) async {}
  func empty() async {}
  func worker(at index: Int, prefilled: Int) -> AnyWorker { AnyWorker(Worker()) }
  func verify(_ findings: [WorkerFindings]) async -> String? { nil }
  var lifetimes: LifetimeCounter? { nil }
}
