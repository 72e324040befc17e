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
      defer { holder.breakCycles() }
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
    defer { holder.breakCycles() }
    let found = findPatiently(
      holder, with: RetainSearch(timeout: .seconds(60), findsTasks: false))
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
    var search = RetainSearch(timeout: .seconds(60))
    search.addRoot("other", Holder())
    search.addRoot("environment", root)
    let path = try #require(findPatiently(asked, with: search).path)
    #expect(path.origin == .root("environment"))
    #expect(path.edges.map(\.label) == [".list[x]", ".action", "capture"])
    #expect(path.nodes.first?.typeName == String(reflecting: Holder.self))
  }

  @Test func `the path through a closure whose captures depend on a type parameter is found`()
    throws
  {
    let generic = Generic<Holder>()
    generic.act(by: 2)
    defer { generic.action = nil }
    let path = try #require(findPatiently(generic).path)
    #expect(path.origin == .cycle)
    #expect(path.edges.map(\.label) == [".action", "capture"])
  }

  @Test func `a path through an element of a managed buffer is probable`() throws {
    let holder = Holder()
    holder.object = Buffer.holding(holder)
    defer { holder.breakCycles() }
    let path = try #require(findPatiently(holder).path)
    #expect(path.edges.map(\.label) == [".object", "[x]"])
    #expect(path.edges.map(\.isProbable) == [false, true])
  }

  #if !canImport(Darwin)
    // On other systems the standard library may be too old for inline arrays.
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

  @Test func `a path through a value in a mutex is probable`() throws {
    let holder = Holder()
    holder.guarded.withLock { $0 = [holder] }
    defer { holder.breakCycles() }
    let path = try #require(findPatiently(holder).path)
    #expect(path.edges == [RetainPath.Edge(label: ".guarded[x]", isProbable: true)])
  }

  @Test func `a notification center holds the captures of an observer's closure`() throws {
    let holder = Holder()
    let center = NotificationCenter()
    let token = center.addObserver(forName: nil, object: nil, queue: nil) { _ in holder.act() }
    var search = RetainSearch(timeout: .seconds(60))
    search.addRoot("center", center)
    let path = try #require(findPatiently(holder, with: search).path)
    #expect(path.origin == .root("center"))
    #expect(path.nodes.contains { $0.typeName == "closure" })
    center.removeObserver(token)
  }
}

/// A way of holding an object: how a holder comes to hold itself, and the labels of the path's
/// edges; nil if the reference is not strong.
struct RetainCase: CustomTestStringConvertible {
  let name: String
  let labels: [String]?
  let hold: @Sendable (Holder) -> Void

  init(_ name: String, _ labels: [String]?, _ hold: @escaping @Sendable (Holder) -> Void) {
    self.name = name
    self.labels = labels
    self.hold = hold
  }

  var testDescription: String { name }

  static let holding: [RetainCase] =
    fields + containers + enums + moreEnums + existentials + closures

  private static let fields = [
    RetainCase("a stored field", [".other"]) { $0.other = $0 },
    RetainCase("a field of a struct in a struct", [".nested.inner.holder"]) {
      $0.nested.inner.holder = $0
    },
    RetainCase("a field of a tuple", [".pair.1"]) { $0.pair.holder = $0 },
    RetainCase("a generic class", [".generic", ".element"]) {
      $0.generic = Generic()
      $0.generic?.element = $0
    },
    RetainCase("two objects", [".other", ".other"]) {
      $0.other = Holder()
      $0.other?.other = $0
    },
  ]

  private static let containers = [
    RetainCase("an element of an array", [".list[x]"]) { $0.list = [Holder(), $0] },
    RetainCase("a value of a dictionary", [".byName[x]"]) { $0.byName = ["a": Holder(), "b": $0] },
    RetainCase("a key of a dictionary", [".byHolder[x].holder"]) {
      $0.byHolder[Key(holder: $0)] = 1
    },
    RetainCase("a member of a set", [".members[x].holder"]) { $0.members.insert(Key(holder: $0)) },
    RetainCase("an array in an array", [".anything[x][x]"]) { $0.anything = [[$0]] },
  ]

  private static let enums = [
    RetainCase("a payload of one of several cases", [".state.loaded.0"]) {
      $0.state = .loaded($0, "text")
    },
    RetainCase("a payload of an indirect case", [".tree.node"]) { $0.tree = .node($0) },
    RetainCase("an error", [".error.holder"]) { $0.error = Failure(holder: $0) },
    RetainCase("an error that is a payload", [".state.failed.holder"]) {
      $0.state = .failed(Failure(holder: $0))
    },
  ]

  private static let moreEnums = [
    RetainCase("a payload of the only case that has one", [".single.full"]) {
      $0.single = .full($0)
    },
    RetainCase("an optional of an optional", [".double"]) { $0.double = $0 },
    RetainCase("a result", [".result.success"]) { $0.result = .success($0) },
    RetainCase("the first of several payloads", [".compound.first"]) { $0.compound = .first($0) },
    RetainCase("the second of several payloads", [".compound.second"]) {
      $0.compound = .second($0)
    },
    RetainCase("the third of several payloads", [".compound.third[x]"]) {
      $0.compound = .third([$0])
    },
  ]

  private static let existentials = [
    RetainCase("an existential of a class", [".named"]) { $0.named = $0 },
    RetainCase("an AnyObject", [".object"]) { $0.object = $0 },
    RetainCase("an Any", [".anything"]) { $0.anything = $0 },
    RetainCase("an Any whose value is in a box", [".anything.holder"]) {
      $0.anything = Large(holder: $0)
    },
  ]

  private static let closures = [
    RetainCase("a closure that captures it", [".action", "capture"]) { holder in
      holder.action = { holder.count += 1 }
    },
    RetainCase("a closure that captures it and a value", [".action", "capture"]) { holder in
      let step = holder.count + 2
      holder.action = { holder.count += step }
    },
    RetainCase("a variable that a closure captures", [".action", "capture", "value"]) { holder in
      var variable: Holder? = holder
      var number = 0
      holder.action = {
        number += 1
        if number > 2 { variable = nil }
        variable?.count += number
      }
    },
    RetainCase("a method reference", [".action", "capture"]) { $0.action = $0.act },
    RetainCase("a nested closure", [".action", "capture", "capture"]) { holder in
      let step = holder.count + 2
      let inner = { holder.count += step }
      holder.action = { for _ in 0..<step { inner() } }
    },
    RetainCase("a lazy closure", [".lazily", "capture"]) { _ = $0.lazily() },
    RetainCase("a closure with arguments and a result", [".transform", "capture"]) { holder in
      holder.transform = { $0 > 0 ? holder : nil }
    },
    RetainCase("a captured struct", [".action", "capture.inner.holder"]) { holder in
      let outer = Outer(number: 1, inner: Outer.Inner(name: "name", holder: holder))
      let step = holder.count + 2
      holder.action = { outer.inner.holder?.count += step }
    },
  ]

  static let notHolding = [
    RetainCase("nothing", nil) { _ in },
    RetainCase("only weak", nil) { $0.weakly = $0 },
    RetainCase("only a weak existential", nil) { $0.weaklyNamed = $0 },
    RetainCase("only unowned", nil) { $0.unownedly = $0 },
    RetainCase("only unowned and unsafe", nil) { $0.unsafely = $0 },
    RetainCase("a closure that captures it weakly", nil) { holder in
      holder.action = { [weak holder] in holder?.count += 1 }
    },
    RetainCase("a closure that captures it weakly, and a value", nil) { holder in
      let step = holder.count + 2
      holder.action = { [weak holder] in holder?.count += step }
    },
    RetainCase("a closure that captures it unowned, and an object", nil) { holder in
      let another = Holder()
      holder.action = { [unowned holder] in holder.other = another }
    },
  ]
}

private final class Locked: Sendable {
  let names = Mutex("")
  let others = Mutex<[String: Locked]>([:])
}

@Suite(.enabled(if: RetainSearch.capability == .available)) struct RetainMutexTests {
  @Test func `a cycle through a value in a mutex is found`() throws {
    let locked = Locked()
    locked.others.withLock { $0["a"] = locked }
    defer { locked.others.withLock { $0 = [:] } }
    let path = try #require(findPatiently(locked).path)
    #expect(path.origin == .cycle && path.isProbable)
    #expect(path.edges.map(\.label) == [".others[x]"])
  }
}
