import Dispatch
import Primitives
import Testing
import WeakCollections
import Workloads

@testable import Benchmarking

/// Bytes with known answers. Serialized, since the probe counts the whole process.
@Suite(.serialized, .enabled(if: AllocatorProbe.isAvailable, "needs the trait Jemalloc"))
struct AllocatorProbeTests {
  @Test func `64 bytes an operation, allocated on a Dispatch thread, are 64`() async throws {
    let bytes = try #require(await measure(Served<Allocating>.self))
    #expect(abs(bytes.allocated - 64) <= 1)
    #expect(bytes.freed <= 1)
  }

  @Test func `64 bytes an operation, freed on another thread, are 64`() async throws {
    let bytes = try #require(await measure(Served<Freeing>.self))
    #expect(abs(bytes.freed - 64) <= 1)
    #expect(bytes.allocated <= 1)
  }

  @Test func `nothing allocated is nothing`() async throws {
    let bytes = try #require(await measure(AllocatingNothing.self))
    #expect(bytes.allocated <= 1)
    #expect(bytes.freed <= 1)
  }

  @Test func `the peak holds what was freed again`() {
    let probe = AllocatorProbe()
    probe.resetPeak()
    let before = probe.bytes.live
    UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16).deallocate()
    #expect(probe.bytes.peakLive - before >= 1 << 20)
    #expect(probe.bytes.live - before < 1 << 16)
  }

  private func measure<S: TrialSubject>(_ subject: S.Type) async -> (
    allocated: Double, freed: Double
  )? {
    let phase = BytePhase<S>(specification: .example(), operations: 20_000)
    guard let bytes = await WorkerThread.with(1, { await phase.run(on: $0) }),
      let allocated = bytes.allocatedPerOperation, let freed = bytes.freedPerOperation
    else { return nil }
    return (allocated, freed)
  }
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
private protocol Service {
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
  func worker(at index: Int, prefilled: Int) -> ServedWorker { ServedWorker(servant: servant) }
  func verify(_ workers: [ServedWorker]) async -> String? { nil }
  var census: Census? { nil }
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
  func worker(at index: Int, prefilled: Int) -> Worker { Worker() }
  func verify(_ workers: [Worker]) async -> String? { nil }
  var census: Census? { nil }
}
