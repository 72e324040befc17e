import Foundation
import LeakReports
import RuntimeInspection
import Testing

/// The holders of an example of each type.
@Suite(.serialized, .enabled(if: HeapSnapshot.heapCapability == .available))
struct HeapPathTests {
  private static func path(_ type: Any.Type) throws -> RetainPath? {
    let snapshot = try HeapSnapshot.take(findsPaths: true, timeout: .seconds(60))
    let name = nameWithoutAddresses(String(reflecting: type))
    return try #require(snapshot.entry(name)).path
  }

  @Test func `a global variable is an origin`() async {
    // In a child process, whose other memory contains no copies of the addresses.
    await #expect(processExitsWith: .success) {
      HeapGlobal.cache = HeapGlobal.Cache()
      HeapGlobal.cache?.items = ["a": [HeapGlobal.Item(), HeapGlobal.Item()]]
      let path = try #require(try Self.path(HeapGlobal.Item.self))
      #expect(path.origin == .root("global variables"))
      #expect(path.nodes.map(\.typeName).suffix(2).map { $0.hasSuffix(".Cache") } == [true, false])
      #expect(path.edges.map(\.label) == [".items[x][x]"])
      // An element of a dictionary's storage may be unused.
      #expect(path.edges.map(\.isProbable) == [true])
    }
  }

  @Test func `a word in memory of unknown type is an example only if no type accounts for one`()
    async
  {
    await #expect(processExitsWith: .success) {
      let item = HeapGlobal.Item()
      let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
      memory.initializeMemory(as: UInt.self, repeating: 0, count: 8)
      memory.storeBytes(
        of: Unmanaged.passRetained(item).toOpaque(), toByteOffset: 24,
        as: UnsafeMutableRawPointer.self)
      HeapGlobal.memory = memory
      let path = try Self.path(HeapGlobal.Item.self)
      guard path?.edges.map(\.label) == ["a word"] else {
        print(path?.text ?? "no path")
        exit(2)
      }
      HeapGlobal.cache = HeapGlobal.Cache()
      HeapGlobal.cache?.items = ["a": [item]]
      let other = try Self.path(HeapGlobal.Item.self)
      guard other?.edges.map(\.label) == [".items[x][x]"] else {
        print(other?.text ?? "no path")
        exit(3)
      }
    }
  }

  /// In a value that may contain other words than references, a word may be left over.
  @Test func `an edge is certain only where a type says that there is a reference`() async {
    await #expect(processExitsWith: .success) {
      func edge(_ hold: (HeapGlobal.Keeper, HeapGlobal.Item) -> Void) throws -> RetainPath.Edge? {
        let keeper = HeapGlobal.Keeper()
        HeapGlobal.keeper = keeper
        hold(keeper, HeapGlobal.Item())
        return try Self.path(HeapGlobal.Item.self)?.edges.last
      }
      func check(
        _ label: String, isProbable: Bool, _ hold: (HeapGlobal.Keeper, HeapGlobal.Item) -> Void
      ) throws {
        let found = try edge(hold)
        if found == RetainPath.Edge(label: label, isProbable: isProbable) { return }
        print(label, found as Any)
        exit(2)
      }
      try check(".item", isProbable: false) { $0.item = $1 }
      try check(".object", isProbable: false) { $0.object = $1 }
      try check(".anything", isProbable: true) { $0.anything = $1 }
      try check(".existential", isProbable: true) { $0.existential = Value(item: $1) }
      try check(".choice", isProbable: true) { $0.choice = .one($1, 7) }
      try check(".many[x]", isProbable: true) { $0.many = [1, $1] }
      try check(".named[x]", isProbable: true) { $0.named = ["a": $1] }
      try check("capture", isProbable: false) { keeper, item in
        let (text, number) = (keeper.text, keeper.text.count)
        keeper.action = { print(text, number, item) }
      }
    }
  }

  private struct Value: Sendable {
    let item: HeapGlobal.Item
  }

  @Test func `an object that only itself retains is a cycle`() async {
    await #expect(processExitsWith: .success) {
      Self.makeCycles()
      let path = try Self.path(HeapLooped.self)
      guard path?.origin == .cycle,
        path?.edges == [RetainPath.Edge(label: ".action"), RetainPath.Edge(label: "capture")]
      else {
        print(path?.text ?? "no path")
        exit(2)
      }
    }
  }

  /// Creates cycles on a new thread, whose stack is unmapped afterwards.
  private static func makeCycles() {
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      for number in 0..<101 {
        let object = HeapLooped()
        object.action = { object.number += number }
      }
      end.signal()
    }
    end.wait()
  }

  /// Some libraries make all stacks executable.
  @Test func `executable memory outside malloc is an origin, like a stack`() async {
    await #expect(processExitsWith: .success) {
      // Between guard pages, like a stack: directly after a library it would count as global
      // variables.
      let page = 4096
      let memory = mmap(nil, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      guard let memory, memory != MAP_FAILED,
        mprotect(memory + page, page, PROT_READ | PROT_WRITE | PROT_EXEC) == 0
      else { exit(2) }
      let end = DispatchSemaphore(value: 0)
      nonisolated(unsafe) let place = memory + page
      Thread.detachNewThread {
        let object = Unmanaged.passRetained(HeapGlobal.Item()).toOpaque()
        place.storeBytes(of: object, as: UnsafeMutableRawPointer.self)
        end.signal()
      }
      end.wait()
      let path = try Self.path(HeapGlobal.Item.self)
      guard path?.origin == .root("a stack, or memory outside malloc") else { exit(3) }
    }
  }

  @Test func `a weak or unowned reference is not a holder`() async {
    await #expect(processExitsWith: .success) {
      HeapGlobal.watcher = HeapGlobal.Watcher()
      Self.makeWatched()
      let path = try Self.path(HeapGlobal.Watched.self)
      let holders = path?.nodes.map(\.typeName) ?? []
      if holders.contains(where: { $0.hasSuffix(".Watcher") }) {
        print(path?.text ?? "")
        exit(2)
      }
      HeapGlobal.watcher?.strong = HeapGlobal.watcher?.watched
      let other = try Self.path(HeapGlobal.Watched.self)
      if other?.edges.map(\.label) != [".strong"] {
        print(other?.text ?? "no path")
        exit(3)
      }
    }
  }

  /// Creates an object that only an unbalanced retain keeps alive.
  private static func makeWatched() {
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let watched = HeapGlobal.Watched()
      HeapGlobal.watcher?.watched = watched
      HeapGlobal.watcher?.unmanaged = watched
      HeapGlobal.watcher?.unownedly = watched
      _ = Unmanaged.passRetained(watched)
      end.signal()
    }
    end.wait()
  }
}

final class HeapLooped {
  var number = 1
  var action: (() -> Void)?
}

enum HeapGlobal {
  final class Cache {
    var items: [String: [Item]] = [:]
  }

  final class Item: Sendable {
    let number = 1
  }

  enum Choice {
    case none
    case one(Item, Int)
    case number(Double)
  }

  final class Keeper {
    var item: Item?
    var object: AnyObject?
    var anything: Any?
    var existential: (any Sendable)?
    var choice = Choice.none
    var many: [Any] = []
    var named: [String: Item] = [:]
    var action: (() -> Void)?
    var text = "text"
  }

  nonisolated(unsafe) static var keeper: Keeper?

  nonisolated(unsafe) static var cache: Cache?
  nonisolated(unsafe) static var memory: UnsafeMutableRawPointer?

  final class Watched {
    let number = 1
  }

  final class Watcher {
    weak var watched: Watched?
    unowned(unsafe) var unmanaged: Watched?
    unowned var unownedly: Watched?
    var strong: Watched?
  }

  nonisolated(unsafe) static var watcher: Watcher?
}
