import LeakReports
import RuntimeInspection
import Synchronization

/// A type whose objects only the tests of heap snapshots create.
struct KnownType: Sendable {
  let kind: HeapSnapshot.Entry.Kind
  let typeName: String
  /// The number of bytes that the runtime requests for an object; nil if only the runtime knows.
  let size: Int?
  let make: @Sendable () -> Any

  var description: String { "\(kind) \(typeName)" }

  init(
    _ kind: HeapSnapshot.Entry.Kind, _ typeName: String, size: Int? = nil,
    _ make: @escaping @Sendable () -> Any
  ) {
    self.kind = kind
    self.typeName = typeName
    self.size = size
    self.make = make
  }

  /// Creates an entry of a class.
  init<Object: AnyObject>(
    _ type: Object.Type, size: Int? = nil, _ make: @escaping @Sendable () -> Object
  ) {
    self.init(.object, name(of: type), size: size, make)
  }

  /// The range of bytes of `count` blocks: at least the rounded size of each, and at most another
  /// 16 bytes that the allocator does not split off, or a page for a block with its own pages.
  func bytes(of count: Int) -> ClosedRange<Int>? {
    guard let size else { return nil }
    let block = max(24, (size + 8 + 15) / 16 * 16 - 8)
    return count * (block - (size > 1 << 17 ? 16 : 0))...count
      * (block + (size > 1 << 17 ? 4096 : 16))
  }

  static let all: [KnownType] = [
    KnownType(HeapPlain.self, size: 16) { HeapPlain() },
    KnownType(HeapFields.self, size: 48) { HeapFields() },
    KnownType(HeapDerived.self, size: 56) { HeapDerived() },
    KnownType(HeapGeneric<Int>.self, size: 24) { HeapGeneric(1) },
    KnownType(HeapGeneric<String>.self, size: 32) { HeapGeneric("text") },
    KnownType(HeapGeneric<[String: (Int, Double)]>.self, size: 24) {
      HeapGeneric(["text": (1, 2)])
    },
    KnownType(HeapGeneric<(HeapPlain?, any HeapNamed)>.self) {
      HeapGeneric((nil, HeapNamedValue()))
    },
    KnownType(HeapNamedOne.self, size: 16) { HeapNamedOne() },
    KnownType(HeapOuter.Inner.self, size: 24) { HeapOuter.Inner() },
    KnownType(HeapOuterOf<Int>.InnerOf<String>.self, size: 40) {
      HeapOuterOf<Int>.InnerOf(1, "text")
    },
    KnownType(HeapPrivate.self, size: 24) { HeapPrivate() },
    KnownType(HeapActor.self) { HeapActor() },
    KnownType(HeapWeaklyHeld.self, size: 24) { HeapWeaklyHeld.withWeakReference() },
    KnownType(HeapBuffer.self, size: 24 + 10 * 8) { HeapBuffer.make(10) },
    KnownType(HeapLargeBuffer.self, size: 24 + 300_000) { HeapLargeBuffer.make(300_000) },
    KnownType(
      .object, "Swift._ContiguousArrayStorage<\(name(of: HeapElement.self))>", size: 32 + 10 * 8
    ) {
      Array(repeating: HeapElement(number: 1), count: 10)
    },
    KnownType(
      .object, "Swift._DictionaryStorage<Swift.Int, \(name(of: HeapElement.self))>"
    ) { [1: HeapElement(number: 1)] },
    KnownType(.object, "Swift._SetStorage<\(name(of: HeapElement.self))>") {
      Set([HeapElement(number: 1)])
    },
    KnownType(.closure, "(\(name(of: HeapCaptured.self)), Swift.Int)", size: 32) {
      HeapAction.capturing(HeapCaptured(), 1)
    },
    KnownType(.closure, "(Swift.Optional<\(name(of: HeapVariable.self))>)", size: 24) {
      HeapAction.changing(HeapVariable())
    },
    KnownType(.closure, "((\(name(of: HeapLeaf.self)), \(name(of: HeapLeaf.self))))", size: 32) {
      HeapTree.node(HeapLeaf(number: 1), HeapLeaf(number: 2))
    },
    KnownType(.closure, "(\(name(of: HeapLarge.self)))", size: 16 + 40) { HeapLarge() },
    KnownType(.box, "Swift.Optional<\(name(of: HeapBoxed.self))>") {
      HeapAction.boxing(HeapBoxed(number: 1))
    },
    KnownType(.error, name(of: HeapFailure.self)) {
      // In an array, because `Any` would contain the value without its box.
      [HeapFailure(number: 1) as any Error]
    },
  ]
}

private func name(of type: Any.Type) -> String { nameWithoutAddresses(String(reflecting: type)) }

class HeapPlain {}

class HeapFields {
  var (first, second, text) = (1, 2, "text")
}

final class HeapDerived: HeapFields {
  var third = 3
}

final class HeapGeneric<Value> {
  let value: Value

  init(_ value: Value) { self.value = value }
}

protocol HeapNamed {}

final class HeapNamedOne: HeapNamed {}

struct HeapNamedValue: HeapNamed {}

enum HeapOuter {
  final class Inner {
    var number = 1
  }
}

enum HeapOuterOf<First> {
  final class InnerOf<Second> {
    let first: First
    let second: Second

    init(_ first: First, _ second: Second) { (self.first, self.second) = (first, second) }
  }
}

private final class HeapPrivate {
  var number = 1
}

actor HeapActor {
  var number = 1
}

/// An object whose reference counts are in a side table.
final class HeapWeaklyHeld {
  var number = 1

  static func withWeakReference() -> HeapWeaklyHeld {
    let object = HeapWeaklyHeld()
    weak let weakly = object
    precondition(weakly != nil, "the object is alive")
    return object
  }
}

final class HeapBuffer: ManagedBuffer<Int, Int> {
  static func make(_ count: Int) -> HeapBuffer {
    unsafeDowncast(create(minimumCapacity: count) { _ in 0 }, to: HeapBuffer.self)
  }
}

/// So large that the allocator gives each object pages of its own.
final class HeapLargeBuffer: ManagedBuffer<Int, UInt8> {
  static func make(_ count: Int) -> HeapLargeBuffer {
    unsafeDowncast(create(minimumCapacity: count) { _ in 0 }, to: HeapLargeBuffer.self)
  }
}

struct HeapElement: Hashable {
  let number: Int
}

final class HeapCaptured {
  let number = 1
}

final class HeapVariable {}

/// Stores a closure directly. In an array, or in another value of generic type, a second closure
/// would wrap it.
final class HeapAction {
  let act: () -> Int

  private init(_ act: @escaping () -> Int) { self.act = act }

  static func capturing(_ captured: HeapCaptured, _ number: Int) -> HeapAction {
    HeapAction { captured.number + number }
  }

  /// Returns an action that captures a variable of generic type.
  @_optimize(none)
  static func boxing<Value>(_ value: Value) -> HeapAction {
    var value: Value? = value
    return HeapAction {
      defer { value = nil }
      return value == nil ? 0 : 1
    }
  }

  static func changing(_ object: HeapVariable) -> HeapAction {
    var object: HeapVariable? = object
    return HeapAction {
      defer { object = nil }
      return object == nil ? 0 : 1
    }
  }
}

indirect enum HeapTree {
  case empty
  case node(HeapLeaf, HeapLeaf)
}

struct HeapLeaf {
  let number: Int
}

struct HeapBoxed {
  let number: Int
}

/// Too large for an existential's inline buffer.
struct HeapLarge {
  let first = (1, 2, 3)
  let second = (4, 5)
}

struct HeapFailure: Error {
  let number: Int
}
