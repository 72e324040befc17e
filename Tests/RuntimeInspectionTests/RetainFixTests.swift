import LeakReports
import RuntimeInspection
import Testing

private protocol Sink<Element> {
  associatedtype Element
}

private struct SmallSink: Sink {
  typealias Element = Int
  let owner: SinkOwner
}

/// Too large for an existential's inline buffer, so that it is boxed.
private struct BigSink: Sink {
  typealias Element = Int
  let first = 1
  let second = 2
  let third = 3
  let owner: SinkOwner
}

private protocol ObjectSink<Element>: AnyObject {
  associatedtype Element
}

private final class SinkOwner: ObjectSink {
  typealias Element = Int
  var sink: (any Sink<Int>)?
  var sinks: [any Sink<Int>] = []
  var object: (any ObjectSink<Int>)?
  var unique = Unique()
  var count = 0
}

private struct Unique: ~Copyable {
  var number = 1
  var action: (() -> Void)?

  deinit {}
}

/// The likely fixes of references that may be no field, or that `weak` cannot be written for.
@Suite(.serialized, .enabled(if: RetainSearch.capability == .available))
struct RetainFixTests {
  @Test func `the value in a constrained existential is described by its type`() throws {
    let owner = SinkOwner()
    func check(_ label: String, _ change: LikelyFix.Change) throws {
      let path = try #require(findPatiently(owner).path)
      #expect(path.edges == [RetainPath.Edge(label: label)])
      #expect(path.likelyFix?.change == change)
    }
    owner.sink = SmallSink(owner: owner)
    try check(".sink.owner", .weakProperty)
    owner.sink = BigSink(owner: owner)
    try check(".sink.owner", .weakProperty)
    owner.sink = nil
    owner.sinks = [SmallSink(owner: SinkOwner()), BigSink(owner: owner)]
    try check(".sinks[x].owner", .weakProperty)
    owner.sinks = []
    owner.object = owner
    try check(".object", .weakProperty)
    owner.object = nil
  }

  @Test func `a reference that was found by scanning memory has no likely fix`() throws {
    let owner = SinkOwner()
    owner.unique.action = { owner.count += 1 }
    let one = try #require(findPatiently(owner).path)
    #expect(one.isProbable && one.likelyFix == nil, "\(one.text)")
    let step = owner.count + 2
    owner.unique.action = { owner.count += step }
    let two = try #require(findPatiently(owner).path)
    #expect(two.isProbable && two.likelyFix == nil, "\(two.text)")
    owner.unique.action = nil
  }

  @Test(arguments: [
    ("a field of a tuple", false), ("a payload of one of several cases", false),
    ("a payload of an indirect case", false), ("a result", false), ("an Any", false),
    ("an optional of an optional", false),
    ("an error", true), ("an error that is a payload", true), ("a stored field", true),
    ("a field of a struct in a struct", true), ("an existential of a class", true),
    ("an AnyObject", true), ("an Any whose value is in a box", true),
    ("a key of a dictionary", true),
  ])
  func `a fix makes a reference weak only where that can be written`(
    _ name: String, _ canBeWeak: Bool
  ) throws {
    let way = try #require(RetainCase.holding.first { $0.name == name })
    let holder = Holder()
    way.hold(holder)
    defer { holder.breakCycles() }
    let path = try #require(findPatiently(holder).path)
    #expect((path.likelyFix != nil) == canBeWeak, "\(path.text)")
  }

  @Test func `an element of a collection of any type can be removed`() throws {
    let holder = Holder()
    let asked = Holder()
    holder.anything = [(1, asked)] as [Any]
    var search = RetainSearch(timeout: .seconds(60))
    search.addRoot("root", holder)
    let path = try #require(findPatiently(asked, with: search).path)
    #expect(path.edges == [RetainPath.Edge(label: ".anything[x].1", isPayload: true)])
    #expect(path.likelyFix?.change == .removal)
  }
}
