import Foundation
import RuntimeInspection
import Synchronization
import Testing

@Suite(.serialized, .enabled(if: RetainSearch.capability == .available))
struct RetainSearchTests {
  private func reason(_ finding: RetainFinding) -> String? {
    if case .unavailable(let reason) = finding { reason } else { nil }
  }

  @Test func `a search that hangs is given up`() {
    var search = RetainSearch(timeout: .milliseconds(80))
    search.fault = .hanging
    let began = ContinuousClock.now
    let found = search.find(Holder())
    #expect(reason(found)?.contains("ran out of time") == true, "\(found)")
    #expect(ContinuousClock.now - began >= .milliseconds(80))
  }

  @Test func `a search that crashes is survived`() {
    var search = RetainSearch()
    search.fault = .crashing
    let found = search.find(Holder())
    #expect(reason(found)?.contains("without an answer") == true, "\(found)")
  }

  @Test func `a search that hangs at first is made again, and finds`() {
    var search = RetainSearch(timeout: .seconds(10))
    search.fault = .hangingAtFirst
    let holder = Holder()
    holder.other = holder
    defer { holder.letGo() }
    #expect(search.find(holder).path?.edges.map(\.label) == [".other"])
  }

  @Test func `a search's process that ends without a word is told from one that crashes`() {
    var search = RetainSearch()
    search.fault = .exiting
    let found = reason(search.find(Holder()))
    search.fault = .crashing
    let crashed = reason(search.find(Holder()))
    #expect(found != nil)
    #expect(found != crashed)
  }

  @Test func `an object whose visit crashes is left out, and the rest is searched`() {
    var search = RetainSearch(timeout: .seconds(5))
    search.fault = .crashingInVisit
    let holder = Holder()
    holder.other = Holder()
    holder.object = Holder()
    let notFound = search.find(holder)
    #expect(reason(notFound)?.contains("without an answer") == true, "\(notFound)")
    (holder.object as? Holder)?.other = holder
    let found = search.find(holder)
    #expect(found.path?.edges.map(\.label) == [".object", ".other"], "\(found)")
    holder.letGo()
  }

  @Test func `a search whose time is over in the midst of its walk says so`() {
    let first = Holder()
    var last = first
    for _ in 0..<200 {
      last.other = Holder()
      last = last.other!
    }
    last.other = first
    var search = RetainSearch(timeout: .seconds(60))
    search.fault = .late
    let began = ContinuousClock.now
    let found = search.find(first)
    #expect(reason(found)?.contains("ran out of time") == true, "\(found)")
    // The walk itself gave up: this process would have waited for longer.
    #expect(ContinuousClock.now - began < .seconds(60))
    unlink(first)
  }

  @Test func `the middle of a long path is left out`() throws {
    let first = Holder()
    var last = first
    for _ in 0..<1000 {
      last.other = Holder()
      last = last.other!
    }
    last.other = first
    let path = try #require(findPatiently(first).path)
    #expect(path.nodes.count == 102)
    #expect(path.nodes.filter { $0.typeName == "…" }.count == 1)
    unlink(first)
  }

  @Test func `an array that is too large to be looked at is not said to hold nothing`() {
    let holder = Holder()
    holder.list = Array(repeating: Holder(), count: (1 << 20) + 1)
    let found = findPatiently(holder)
    #expect(reason(found)?.contains("more objects") == true, "\(found)")
  }

  /// So that no deinitialiser calls the next one's.
  private func unlink(_ first: Holder) {
    var next: Holder? = first
    while let holder = next {
      next = holder.other
      holder.other = nil
    }
  }

  @Test func `searches leave neither processes nor files behind`() throws {
    let holder = Holder()
    holder.other = holder
    defer { holder.letGo() }
    _ = RetainSearch().find(holder)
    let before = try counts()
    for fault in [RetainFault.none, .crashing, .hanging] {
      var search = RetainSearch(timeout: .milliseconds(fault == .hanging ? 5 : 500))
      search.fault = fault
      for _ in 0..<20 { _ = search.find(holder) }
    }
    let after = try counts()
    // Other tests have a few of either, but not twenty.
    #expect(after.files < before.files + 10)
    #expect(after.processes < before.processes + 10)
  }

  /// The open files of this process, and the children of its threads.
  private func counts() throws -> (files: Int, processes: Int) {
    let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    // A thread may be gone meanwhile.
    let children = threads.compactMap { thread in
      FileHandle(forReadingAtPath: "/proc/self/task/\(thread)/children").map { list in
        String(decoding: list.readDataToEndOfFile(), as: UTF8.self).split(separator: " ").count
      }
    }
    return (files, children.reduce(0, +))
  }
}
