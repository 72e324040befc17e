import Synchronization

/// An object with a property for each way to hold another object.
class Holder: @unchecked Sendable {
  var other: Holder?
  var anything: Any?
  var object: AnyObject?
  var named: (any Named)?
  var list: [Holder] = []
  var byName: [String: Holder] = [:]
  var byHolder: [Key: Int] = [:]
  var members: Set<Key> = []
  var pair: (number: Int, holder: Holder?) = (0, nil)
  var nested = Outer()
  var state = State.idle
  var tree = Tree.leaf
  var error: (any Error)?
  var action: (() -> Void)?
  var transform: ((Int) -> Holder?)?
  var generic: Generic<Holder>?
  var single = Single.empty
  var double: Holder??
  var result: Result<Holder, any Error>?
  var compound = Compound.first(nil)
  let guarded = Mutex<[Holder]>([])
  var task: Task<Void, Never>?
  var count = 0
  weak var weakly: Holder?
  weak var weaklyNamed: (any Named)?
  unowned(unsafe) var unsafely: Holder?
  unowned var unownedly: Holder?
  lazy var lazily: () -> Holder = { self }

  init() {}

  func act() { count += 1 }

  /// Breaks every cycle through this holder.
  func breakCycles() {
    other = nil
    anything = nil
    object = nil
    named = nil
    list = []
    byName = [:]
    byHolder = [:]
    members = []
    pair.holder = nil
    nested = Outer()
    state = .idle
    tree = .leaf
    error = nil
    action = nil
    transform = nil
    generic = nil
    single = .empty
    double = nil
    result = nil
    compound = .first(nil)
    guarded.withLock { $0 = [] }
    task?.cancel()
    task = nil
    lazily = { Holder() }
  }
}

protocol Named: AnyObject {}

extension Holder: Named {}

// @unchecked: restated from `Holder`; the added property never changes.
final class SubHolder: Holder, @unchecked Sendable {
  let own = "own"
}

struct Key: Hashable {
  let holder: Holder

  static func == (one: Key, other: Key) -> Bool { one.holder === other.holder }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(holder)) }
}

struct Outer {
  struct Inner {
    var name = ""
    var holder: Holder?
  }

  var number = 0
  var inner = Inner()
}

/// Too large for an existential's inline buffer, so that it is boxed.
struct Large {
  let first = 1
  let second = 2
  let third = 3
  let holder: Holder
}

enum State {
  case idle
  case loading(Int)
  case loaded(Holder, String)
  case failed(any Error)
}

indirect enum Tree {
  case leaf
  case node(Holder)
}

struct Failure: Error {
  let holder: Holder
}

enum Single {
  case empty
  case other
  case full(Holder)
}

/// An enum whose cases are distinguished by spare bits of their payloads.
enum Compound {
  case first(Holder?)
  case second(AnyObject)
  case third([Holder])
  case fourth
}

final class Generic<Element> {
  var element: Element?
  var action: (() -> Void)?
  var number = 0

  /// Stores a closure whose captures depend on the class's parameter.
  func act(by step: Int) { action = { self.number += step } }
}

/// A class with tail-allocated elements.
final class Buffer: ManagedBuffer<Int, Holder> {
  deinit {
    _ = withUnsafeMutablePointers { count, elements in
      elements.deinitialize(count: count.pointee)
    }
  }

  static func holding(_ holder: Holder) -> AnyObject {
    let buffer = Buffer.create(minimumCapacity: 3) { _ in 1 }
    buffer.withUnsafeMutablePointerToElements { $0.initialize(to: holder) }
    return buffer
  }
}

actor Worker {
  var holder: Holder?

  func hold(_ holder: Holder?) { self.holder = holder }
}
