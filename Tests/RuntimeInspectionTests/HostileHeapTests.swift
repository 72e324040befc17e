import CRetainFaults
import Foundation
import LeakReports
import RuntimeInspection
import SeededTesting
import Testing

#if canImport(Glibc)
  import Glibc
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

  /// Objects, the last of which holds the first.
  private static func ring(of count: Int) -> [Known] {
    let objects = (0..<count).map(Known.init)
    for (index, object) in objects.enumerated() { object.next = objects[(index + 1) % count] }
    return objects
  }

  private static func open(_ ring: [Known]) {
    for object in ring { object.next = nil }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `random words in blocks change no count and no type`(_ number: UInt64) throws {
    let objects = Self.ring(of: 500)
    defer { Self.open(objects) }
    // The first snapshot of a process makes objects that stay.
    _ = try HeapSnapshot.take(findsPaths: true)
    let before = try HeapSnapshot.take()
    // The words point at objects and into them, but no block begins as an object does.
    let pointers = objects.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
    let heap = try #require(
      crf_make_hostile_heap(
        TestOptions.seed &+ number, 2000, pointers, UInt32(pointers.count)))
    defer { crf_free_hostile_heap(heap) }
    let snapshot = try HeapSnapshot.take(findsPaths: true)
    #expect(snapshot.entry(Self.typeName)?.count == 500)
    #expect(snapshot.unreadBytes == 0)
    // Only arrays of this test and objects of Swift Testing are new.
    let known = Set(before.entries.map(\.typeName))
    let new = snapshot.entries.filter { !known.contains($0.typeName) }.map(\.typeName)
    let expected = ["Swift._ContiguousArrayStorage<", "Testing."]
    #expect(new.allSatisfy { name in expected.contains { name.hasPrefix($0) } }, "\(new)")
    // A search for holders reads the same words.
    let answer = RetainSearch(timeout: .seconds(5)).find(objects[0])
    #expect(answer.path != nil || answer.isNone, "\(answer)")
  }

  @Test func `a process with 5,000 threads is counted, and goes on`() throws {
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
