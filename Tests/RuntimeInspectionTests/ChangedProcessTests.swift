import CForking
import Foundation
import LeakReports
import Primitives
import RuntimeInspection
import Testing

private final class Prisoner {
  var cell: Prisoner?
}

/// Processes that fork, or load images, after the first search.
///
/// Each test has a process of its own: in a forked child, a lock that another test's thread held
/// stays locked.
@Suite(
  .serialized, .timeLimit(.minutes(10)),
  .disabled(if: Sanitizer.isThreadSanitizer, "it does not follow a fork of several threads"))
struct ChangedProcessTests {
  @Test(.enabled(if: RetainSearch.capability == .available))
  func `a forked child of a process that searched finds holders too`() async {
    await #expect(processExitsWith: .success) {
      let prisoner = Prisoner()
      prisoner.cell = prisoner
      defer { prisoner.cell = nil }
      let search = RetainSearch(timeout: .seconds(60), findsTasks: false)
      #expect(findPatiently(prisoner, with: search).path?.origin == .cycle)
      let isFound = inChild {
        findPatiently(prisoner, with: search).path?.edges.map(\.label) == [".cell"]
      }
      #expect(isFound)
      // The parent can still search, and does not read the child's results.
      #expect(findPatiently(prisoner, with: search).path?.origin == .cycle)
    }
  }

  @Test(.enabled(if: HeapSnapshot.heapCapability == .available))
  func `a forked child counts its own objects`() async {
    await #expect(processExitsWith: .success) {
      let prisoners = (0..<50).map { _ in Prisoner() }
      let name = nameWithoutAddresses(String(reflecting: Prisoner.self))
      func count() -> Int {
        (try? HeapSnapshot.take(timeout: .seconds(60)))?.entry(name)?.count ?? 0
      }
      #expect(count() == 50)
      let isCounted = inChild {
        let more = (0..<7).map { _ in Prisoner() }
        return withExtendedLifetime(more) { count() == 57 }
      }
      #expect(isCounted && count() == 50)
      withExtendedLifetime(prisoners) {}
    }
  }

  #if os(Linux)
    @Test func `1.7 the classes of an image that is loaded later are found`() async {
      await #expect(processExitsWith: .success) {
        #expect(try DeclaredClasses(in: ["Distributed"]).all.isEmpty)
        let image = try #require(dlopen("libswiftDistributed.so", RTLD_NOW))
        let found = try DeclaredClasses(in: ["Distributed"]).all.map(\.name)
        #expect(found.contains("Distributed.LocalTestingDistributedActorSystem"))
        withExtendedLifetime(image) {}
      }
    }
  #endif
}

/// Returns whether `body` is true in a forked child of this process.
private func inChild(_ body: () -> Bool) -> Bool {
  withoutActuallyEscaping(body) { body in
    var body = body
    return withUnsafeMutablePointer(to: &body) { pointer in
      let status = cfk_run_in_child(
        { $0!.assumingMemoryBound(to: (() -> Bool).self).pointee() ? 7 : 1 }, pointer, 600)
      return status == 7
    }
  }
}
