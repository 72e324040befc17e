import CRetainFaults
import Foundation
import LeakReports
import RuntimeInspection
import SeededTesting
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Heaps that are hard to search: random words that look like references, a foreign allocator,
/// thousands of stacks.
@Suite(.serialized, .enabled(if: HeapSnapshot.heapCapability == .available))
struct HostileHeapTests {
  private final class Known {
    var next: Known?
    let action: () -> Int

    init(_ number: Int) { action = { number } }
  }

  private static let typeName = nameWithoutAddresses(String(reflecting: Known.self))

  /// Returns a cycle of objects.
  private static func ring(of count: Int) -> [Known] {
    let objects = (0..<count).map(Known.init)
    for (index, object) in objects.enumerated() { object.next = objects[(index + 1) % count] }
    return objects
  }

  private static func open(_ ring: [Known]) {
    for object in ring { object.next = nil }
  }

  @Test func `random words in blocks change no count and no type`() throws {
    let objects = Self.ring(of: 500)
    defer { Self.open(objects) }
    // The child runs only C, so that only the words change between two snapshots.
    let pointers = Self.pointers(to: objects)
    var seeds: Int32 = -1
    let process = crf_fork_with_hostile_heap(2000, pointers, UInt32(pointers.count), &seeds)
    try #require(process > 0)
    defer {
      close(seeds)
      crf_end(process)
    }
    let before = try HeapSnapshot.take(ofProcess: process, timeout: .seconds(60))
    #expect(before.entry(Self.typeName)?.count == 500)
    for number in 0..<20 as Range<UInt64> {
      try #require(crf_fill_hostile_heap(seeds, TestOptions.seed &+ number))
      let snapshot = try HeapSnapshot.take(
        ofProcess: process, findsPaths: true, timeout: .seconds(60))
      #expect(Self.counts(snapshot) == Self.counts(before))
      #expect(snapshot.unreadBytes == 0)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a search among random words finds a holder or none`(_ number: UInt64) throws {
    let objects = Self.ring(of: 500)
    defer { Self.open(objects) }
    let pointers = Self.pointers(to: objects)
    let heap = try #require(
      crf_make_hostile_heap(
        TestOptions.seed &+ number, 2000, pointers, UInt32(pointers.count)))
    defer { crf_free_hostile_heap(heap) }
    #expect(
      try HeapSnapshot.take(findsPaths: true, timeout: .seconds(60)).entry(Self.typeName)?.count
        == 500)
    let answer = findPatiently(objects[0], with: RetainSearch(timeout: .seconds(60)))
    #expect(answer.path != nil || answer.isNone, "\(answer)")
  }

  /// Returns the addresses of `objects`. The words point at the objects and into them, but no block
  /// begins like an object.
  private static func pointers(to objects: [Known]) -> [UnsafeRawPointer] {
    objects.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
  }

  private static func counts(_ snapshot: HeapSnapshot) -> [String: Int] {
    Dictionary(snapshot.entries.map { ($0.typeName, $0.count) }, uniquingKeysWith: +)
  }

  @Test func `a process with 5,000 threads is counted, and continues`() throws {
    let objects = Self.ring(of: 700)
    defer { Self.open(objects) }
    let process = crf_fork_with_threads(5000)
    try #require(process > 0, "no 5,000 threads")
    defer { crf_end(process) }
    let snapshot = try HeapSnapshot.take(ofProcess: process, timeout: .seconds(60))
    #expect(snapshot.entry(Self.typeName)?.count == 700)
    #expect(kill(process, 0) == 0)
    #expect(
      try HeapSnapshot.take(ofProcess: process, timeout: .seconds(60)).entry(Self.typeName) != nil)
  }
}
