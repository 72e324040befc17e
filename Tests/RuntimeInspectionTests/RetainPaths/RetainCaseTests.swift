import Foundation
import RuntimeInspection
import Synchronization
import Testing

@Suite(.serialized, .enabled(if: RetainSearch.capability == .available))
struct RetainCaseTests {
  @Test(arguments: RetainCase.holding)
  func `a cycle is found through`(_ way: RetainCase) throws {
    for holder in [Holder(), SubHolder()] {
      way.hold(holder)
      defer { holder.letGo() }
      let path = try #require(findPatiently(holder).path)
      #expect(path.origin == .cycle)
      #expect(path.edges.map(\.label) == way.labels)
      #expect(!path.isProbable)
      #expect(path.nodes.first == path.nodes.last)
      #expect(path.nodes.last?.typeName == String(reflecting: type(of: holder)))
    }
  }

  @Test(arguments: RetainCase.notHolding)
  func `no cycle is found through`(_ way: RetainCase) {
    let holder = Holder()
    holder.unownedly = holder
    way.hold(holder)
    defer { holder.letGo() }
    let found = findPatiently(
      holder, with: RetainSearch(timeout: .seconds(5), findsTasks: false))
    guard case .none(let strongCount) = found else {
      Issue.record("found: \(found)")
      return
    }
    #expect(strongCount >= 1)
  }

  @Test func `the path from a named root is found`() throws {
    let root = Holder()
    let asked = Holder()
    root.list = [Holder(), Holder()]
    root.list[1].action = { asked.count += 1 }
    var search = RetainSearch(timeout: .seconds(5))
    search.addRoot("other", Holder())
    search.addRoot("environment", root)
    let path = try #require(findPatiently(asked, with: search).path)
    #expect(path.origin == .root("environment"))
    #expect(path.edges.map(\.label) == [".list[x]", ".action", "capture"])
    #expect(path.nodes.first?.typeName == String(reflecting: Holder.self))
  }

  @Test func `a closure whose captures depend on a parameter is guessed at`() throws {
    let generic = Generic<Holder>()
    generic.act(by: 2)
    defer { generic.action = nil }
    let path = try #require(findPatiently(generic).path)
    #expect(path.origin == .cycle)
    #expect(path.edges.map(\.label) == [".action", "capture"])
  }

  @Test func `an element of a managed buffer is guessed at`() throws {
    let holder = Holder()
    holder.object = Buffer.holding(holder)
    defer { holder.letGo() }
    let path = try #require(findPatiently(holder).path)
    #expect(path.edges.map(\.label) == [".object", "[x]"])
    #expect(path.edges.map(\.isProbable) == [false, true])
  }

  #if !canImport(Darwin)
    // Where the standard library is the system's it may be too old for such arrays.
    private final class InlineHolder {
      var elements: InlineArray<2, InlineHolder?> = [nil, nil]
    }

    @Test func `a cycle is found through an element of an inline array`() throws {
      let holder = InlineHolder()
      holder.elements[1] = holder
      defer { holder.elements[1] = nil }
      let path = try #require(findPatiently(holder).path)
      #expect(path.edges == [RetainPath.Edge(label: ".elements[x]")])
    }
  #endif

  @Test func `what a mutex guards is guessed at`() throws {
    let holder = Holder()
    holder.guarded.withLock { $0 = [holder] }
    defer { holder.letGo() }
    let path = try #require(findPatiently(holder).path)
    #expect(path.edges == [RetainPath.Edge(label: ".guarded[x]", isProbable: true)])
  }

  @Test func `a notification centre holds what an observer's closure captures`() throws {
    let holder = Holder()
    let center = NotificationCenter()
    let token = center.addObserver(forName: nil, object: nil, queue: nil) { _ in holder.act() }
    var search = RetainSearch(timeout: .seconds(5))
    search.addRoot("center", center)
    let path = try #require(findPatiently(holder, with: search).path)
    #expect(path.origin == .root("center"))
    #expect(path.nodes.contains { $0.typeName == "closure" })
    center.removeObserver(token)
  }
}
