import CRetainFaults
import Foundation
import LeakReports
import RuntimeInspection
import Synchronization
import Testing

@Suite(.serialized, .enabled(if: HeapSnapshot.heapCapability == .available))
struct HeapSnapshotTests {
  /// Creates `number(index)` objects of each known type, and more that are freed again.
  private static func objects(_ number: (Int) -> Int) -> [[Any]] {
    var all = KnownType.all.enumerated().map { index, type in
      (0..<number(index) + 30).map { _ in type.make() }
    }
    for index in all.indices { all[index].removeFirst(30) }
    return all
  }

  private static func count(of index: Int) -> Int { index == 14 ? 5 : 100 + 7 * index }

  /// Returns the differences between a snapshot and the expected counts of the known types.
  private static func differences(
    _ snapshot: HeapSnapshot, _ number: (Int) -> Int
  ) -> [String] {
    KnownType.all.enumerated().compactMap { index, type in
      let found = snapshot.entry(type.typeName, type.kind)
      let (count, bytes) = (number(index), found?.bytes ?? 0)
      let isRight = found?.count == count && (type.bytes(of: count)?.contains(bytes) ?? true)
      return isRight ? nil : "\(type.description): \(count) expected, \(String(describing: found))"
    }
  }

  /// Returns the classes whose bytes differ from the sum of the allocator's block sizes.
  private static func wrongSizes(_ snapshot: HeapSnapshot, _ objects: [[Any]]) -> [String] {
    zip(KnownType.all, objects).compactMap { type, objects in
      // The other values are structures that contain an object.
      guard let first = objects.first, Swift.type(of: first) is AnyObject.Type,
        type.kind == .object
      else { return nil }
      let bytes = objects.reduce(0) {
        $0 + Int(crf_block_size(Unmanaged.passUnretained($1 as AnyObject).toOpaque()))
      }
      let found = snapshot.entry(type.typeName)?.bytes
      return found == bytes ? nil : "\(type.description): \(bytes), \(String(describing: found))"
    }
  }

  @Test func `known graphs are counted exactly, and bytes within the allocator's rounding`() throws
  {
    let objects = Self.objects(Self.count)
    let snapshot = try withExtendedLifetime(objects) {
      try HeapSnapshot.take(timeout: .seconds(60))
    }
    #expect(KnownType.all.count >= 20)
    #expect(Self.wrongSizes(snapshot, objects) == [])
    #expect(Self.differences(snapshot, Self.count) == [])
    #expect(snapshot.unreadBytes == 0)
  }

  @Test func `objects in the arenas of threads are counted`() throws {
    final class Counted {}
    nonisolated(unsafe) var kept = [[Counted]](repeating: [], count: 8)
    kept.withUnsafeMutableBufferPointer { buffer in
      nonisolated(unsafe) let places = buffer
      let group = DispatchGroup()
      for index in 0..<8 {
        group.enter()
        Thread.detachNewThread {
          places[index] = (0..<20_000).map { _ in Counted() }
          // Blocks of other sizes between the objects, which are freed again.
          _ = (0..<1000).map { Array(repeating: $0, count: $0 % 50) }
          group.leave()
        }
      }
      group.wait()
    }
    let name = nameWithoutAddresses(String(reflecting: Counted.self))
    let first = try HeapSnapshot.take(timeout: .seconds(60))
    #expect(first.entry(name)?.count == 160_000)
    for index in kept.indices { kept[index].removeLast(10_000) }
    let second = try HeapSnapshot.take(timeout: .seconds(60))
    #expect(second.entry(name)?.count == 80_000)
    #expect(second.unreadBytes == 0)
    #expect(second.growth(since: first).rows.last?.typeName == name)
    kept = []
    #expect(try HeapSnapshot.take(timeout: .seconds(60)).entry(name) == nil)
  }

  /// A thread of another process may have stopped in the middle of an allocation.
  @Test func `an arena whose blocks cannot be read is counted as unread`() throws {
    let size = 1 << 20
    let arena = try #require(crf_map_broken_arena(size))
    defer { crf_unmap_arena(arena) }
    #expect(try HeapSnapshot.take(timeout: .seconds(60)).unreadBytes == size)
  }

  @Test func `an object that only an unowned reference keeps is not counted as alive`() throws {
    final class Held {
      let numbers = (1, 2, 3, 4)
    }
    var objects = (0..<10).map { _ in Held() }
    let references = objects.map { object in { [unowned object] in object } }
    objects.removeLast(7)
    let entry = try withExtendedLifetime((objects, references)) {
      try HeapSnapshot.take(timeout: .seconds(60)).entry(
        nameWithoutAddresses(String(reflecting: Held.self)))
    }
    #expect(entry?.count == 3 && entry?.deinitializedCount == 7)
  }

  @Test func `an object that only unowned and weak references keep is not counted as alive`() throws
  {
    final class Held {
      weak var twin: Held?
    }
    // The counts of each object are in a side table, because a weak reference to it exists.
    var objects = (0..<500).map { _ in Held() }
    let holders = objects.map { object in
      let holder = Held()
      holder.twin = object
      return holder
    }
    let references = objects.map { object in { [unowned object] in object } }
    objects.removeLast(300)
    let entry = try withExtendedLifetime((objects, holders, references)) {
      try HeapSnapshot.take(timeout: .seconds(60)).entry(
        nameWithoutAddresses(String(reflecting: Held.self)))
    }
    #expect(entry?.count == 700 && entry?.deinitializedCount == 300, "\(String(describing: entry))")
  }

  @Test func `the sums agree with those of the C library`() throws {
    let buffers = (0..<50).map { _ in
      UnsafeMutableRawPointer.allocate(byteCount: 100_000, alignment: 16)
    }
    defer { buffers.forEach { $0.deallocate() } }
    let snapshot = try HeapSnapshot.take(timeout: .seconds(60))
    #expect(snapshot.otherBytes > 5_000_000)
    #expect(snapshot.usedBytes + snapshot.freeBytes <= snapshot.heldBytes)
    // Each block has a header of 8 bytes, and an arena has one of 2 KiB.
    let headers = snapshot.heldBytes - snapshot.usedBytes - snapshot.freeBytes
    #expect(headers < snapshot.heldBytes / 3, "\(snapshot.summary)")
    #expect(try #require(snapshot.residentBytes) > 5_000_000)
  }

  /// In a child process, because concurrent tests change the memory of this one.
  @Test func `a leak and fragmentation have different verdicts`() async {
    await #expect(processExitsWith: .success) {
      final class Kept {
        let numbers = (1, 2, 3, 4)
      }
      let before = try HeapSnapshot.take(timeout: .seconds(60))
      var kept = (0..<400_000).map { _ in Kept() }
      let grown = try HeapSnapshot.take(timeout: .seconds(60))
      let growth = grown.growth(since: before)
      #expect(growth.verdict == .liveObjects, "\(growth.text(limit: 3))")
      let name = nameWithoutAddresses(String(reflecting: Kept.self))
      let row = try #require(growth.grown.first { $0.typeName == name })
      #expect(row.countGrowth == 400_000)
      // Every second object stays, so that the allocator can return no page.
      kept = kept.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
      let rest = try HeapSnapshot.take(timeout: .seconds(60)).growth(since: grown)
      #expect(rest.verdict == .freeBlocks, "\(rest.text(limit: 3))")
      withExtendedLifetime(kept) {}
    }
  }

  @Test func `another process is counted exactly, and continues`() async {
    await #expect(processExitsWith: .success) {
      let objects = Self.objects(Self.count)
      let child = crf_fork_idle()
      defer { crf_end(child) }
      for _ in 0..<2 {
        guard let snapshot = try? HeapSnapshot.take(ofProcess: child, timeout: .seconds(60)) else {
          exit(2)
        }
        let differences = Self.differences(snapshot, Self.count)
        if !differences.isEmpty {
          print(differences)
          exit(3)
        }
      }
      guard kill(child, 0) == 0 else { exit(4) }
      withExtendedLifetime(objects) {}
    }
  }

  @Test func `a process that cannot be stopped in time continues`() async {
    await #expect(processExitsWith: .success) {
      var release: Int32 = -1
      let child = crf_fork_in_vfork(&release)
      try #require(child > 0)
      let error = #expect(throws: HeapUnavailable.self) {
        try HeapSnapshot.take(ofProcess: child, timeout: .milliseconds(200))
      }
      #expect(error?.reason.contains("did not finish in time") == true)
      close(release)
      #expect(crf_exit_status(child, 600) == 7)
    }
  }

  @Test func `a process that does not exist, or has no Swift objects, is an error`() throws {
    let missing = #expect(throws: HeapUnavailable.self) {
      try HeapSnapshot.take(ofProcess: Int32.max)
    }
    #expect(missing?.reason.contains("no such process") == true)
    let sleep = Process()
    sleep.executableURL = URL(filePath: "/bin/sleep")
    sleep.arguments = ["3600"]
    try sleep.run()
    // `terminate` may have no effect: the process inherits the signal mask of a Dispatch thread.
    defer { kill(sleep.processIdentifier, SIGKILL) }
    let foreign = #expect(throws: HeapUnavailable.self) {
      try HeapSnapshot.take(ofProcess: sleep.processIdentifier, timeout: .seconds(60))
    }
    #expect(foreign?.reason.contains("no Swift object") == true, "\(String(describing: foreign))")
  }

  @Test func `the published example prints the types that grew`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      final class Request {}
      var requests: [Request] = []
      func serveRequests() { requests = (0..<70).map { _ in Request() } }
      let before = try HeapSnapshot.take()
      serveRequests()
      print(try HeapSnapshot.take().growth(since: before).text())
      withExtendedLifetime(requests) {}
    }
    let text = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    #expect(text.contains("Request"))
  }

  @Test func `tasks are counted`() async {
    await #expect(processExitsWith: .success) {
      let before = try HeapSnapshot.take(timeout: .seconds(60)).entry("task", .task)?.count ?? 0
      // Each task waits for a line that never comes.
      let (lines, _) = AsyncStream.makeStream(of: Int.self)
      let tasks = (0..<50).map { _ in Task { for await _ in lines {} } }
      let after = try HeapSnapshot.take(timeout: .seconds(60)).entry("task", .task)?.count ?? 0
      if after - before != 50 {
        print("tasks: \(before), then \(after)")
        exit(2)
      }
      tasks.forEach { $0.cancel() }
    }
  }

  @Test func `snapshots are consistent while threads allocate`() throws {
    final class Kept {}
    let kept = (0..<1000).map { _ in Kept() }
    let isStopped = Atomic(false)
    let group = DispatchGroup()
    for _ in 0..<4 {
      group.enter()
      Thread.detachNewThread {
        // Relaxed: the flag orders no other memory.
        while !isStopped.load(ordering: .relaxed) {
          _ = (0..<100).map { Array(repeating: $0, count: $0) }
        }
        group.leave()
      }
    }
    let name = nameWithoutAddresses(String(reflecting: Kept.self))
    let counts = try (0..<30).map { _ in
      try HeapSnapshot.take(timeout: .seconds(60)).entry(name)?.count
    }
    isStopped.store(true, ordering: .relaxed)
    group.wait()
    #expect(withExtendedLifetime(kept) { counts.allSatisfy { $0 == 1000 } })
  }
}

@Suite struct HeapCapabilityTests {
  @Test(.enabled(if: HeapSnapshot.heapCapability == .available))
  func `the probe is repeated after a failure to fork`() async {
    await #expect(processExitsWith: .success) {
      crf_arm(CRF_EXIT, 3)
      guard case .unavailable(let reason) = HeapSnapshot.heapCapability else {
        Issue.record("available without a child")
        return
      }
      #expect(reason.contains("without an answer"))
      crf_arm(CRF_NONE, 0)
      #expect(HeapSnapshot.heapCapability == .available)
      #expect(throws: Never.self) { try HeapSnapshot.take(timeout: .seconds(60)) }
    }
  }

  @Test(.enabled(if: HeapSnapshot.heapCapability == .available), arguments: 0..<10)
  func `concurrent first uses do not count each other's test objects`(_: Int) async {
    await #expect(processExitsWith: .success) {
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        #expect(HeapSnapshot.heapCapability == .available)
      }
    }
  }

  @Test func `counting is available with glibc's allocator, and otherwise gives the reason`() {
    if crf_uses_the_systems_allocator() {
      #expect(HeapSnapshot.heapCapability == .available)
    } else {
      guard case .unavailable(let reason) = HeapSnapshot.heapCapability else {
        Issue.record("available")
        return
      }
      let error = #expect(throws: HeapUnavailable.self) {
        try HeapSnapshot.take(timeout: .seconds(60))
      }
      #expect(error?.reason == reason)
    }
  }
}
