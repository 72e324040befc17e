// A program whose live and leaked objects are known, for scripts/heap-beside, which shows what
// several tools say of it. It prints a line for each type: the function that makes its objects, the
// kind and the name of the type, the number and the bytes of the live objects, and the number and
// the bytes of the leaked ones among them. Then it waits until its standard input ends.

import Glibc

class Plain {}

class Fields { var (first, second, text) = (1, 2, "text") }

final class Derived: Fields { var third = 3 }

final class Generic<Value> {
  let value: Value
  init(_ value: Value) { self.value = value }
}

enum Outer { final class Inner { var number = 1 } }

private final class Hidden { var number = 1 }

actor Counter { var number = 1 }

final class Watched { var number = 1 }

final class Buffer: ManagedBuffer<Int, Int> {}

final class LargeBuffer: ManagedBuffer<Int, UInt8> {}

final class Captured { let number = 1 }

struct Element: Hashable { let number: Int }

struct Failure: Error { let number: Int }

struct Large { let numbers = (1, 2, 3, 4, 5) }

indirect enum Tree { case empty, node(Element, Element) }

/// A closure, whose place in a slot has an offset, unlike that of a function type.
struct Action {
  let act: () -> Int
}

/// A value of one of the types, stored as its own module stores it, without a further box.
struct Slot {
  var object: AnyObject?
  var array: [Element]?
  var dictionary: [Int: Element]?
  var set: Set<Element>?
  var text: String?
  var action: Action?
  var tree: Tree?
  var error: (any Error)?
  var value: Any?

  /// The address of the object.
  var address: UInt {
    // Reads the stored words: a closure passed as a value of generic type would have another one
    // around it.
    func word(_ place: PartialKeyPath<Slot>, _ index: Int) -> UInt {
      withUnsafeBytes(of: self) {
        $0.load(fromByteOffset: MemoryLayout<Slot>.offset(of: place)! + 8 * index, as: UInt.self)
      }
    }
    if object != nil { return word(\.object, 0) }
    if array != nil { return word(\.array, 0) }
    if dictionary != nil { return word(\.dictionary, 0) }
    if set != nil { return word(\.set, 0) }
    // The low bits of a string's second word are the address of its object.
    if text != nil { return word(\.text, 1) & 0x0fff_ffff_ffff_ffff }
    if action != nil { return word(\.action, 1) }
    if tree != nil { return word(\.tree, 0) & ~0xf000_0000_0000_0007 }
    return error != nil ? word(\.error, 0) : word(\.value, 0)
  }
}

// A function for each type, whose name tells the objects apart in the stacks of allocations.
@inline(never) func makePlain() -> Slot { Slot(object: Plain()) }
@inline(never) func makeFields() -> Slot { Slot(object: Fields()) }
@inline(never) func makeDerived() -> Slot { Slot(object: Derived()) }
@inline(never) func makeGenericInt() -> Slot { Slot(object: Generic(1)) }
@inline(never) func makeGenericString() -> Slot { Slot(object: Generic("text")) }
@inline(never) func makeInner() -> Slot { Slot(object: Outer.Inner()) }
@inline(never) func makeHidden() -> Slot { Slot(object: Hidden()) }
@inline(never) func makeCounter() -> Slot { Slot(object: Counter()) }
@inline(never) func makeBuffer() -> Slot {
  Slot(object: Buffer.create(minimumCapacity: 10) { _ in 0 })
}
@inline(never) func makeLargeBuffer() -> Slot {
  Slot(object: LargeBuffer.create(minimumCapacity: 300_000) { _ in 0 })
}
@inline(never) func makeArray() -> Slot {
  Slot(array: Array(repeating: Element(number: 1), count: 9))
}
@inline(never) func makeDictionary() -> Slot { Slot(dictionary: [1: Element(number: 1)]) }
@inline(never) func makeSet() -> Slot { Slot(set: [Element(number: 1)]) }
@inline(never) func makeText() -> Slot { Slot(text: String(repeating: "text", count: 10)) }
@inline(never) func makeTree() -> Slot { Slot(tree: .node(Element(number: 1), Element(number: 2))) }
@inline(never) func makeError() -> Slot { Slot(error: Failure(number: 1)) }
@inline(never) func makeLarge() -> Slot { Slot(value: Large()) }
@inline(never) func makeTask() -> Slot {
  Slot(
    object: unsafeBitCast(
      Task { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } },
      to: AnyObject.self))
}
let captured = Captured()
@inline(never) func makeClosure() -> Slot { capturing(captured, 1) }
func capturing(_ captured: Captured, _ number: Int) -> Slot {
  Slot(action: Action { captured.number + number })
}
@inline(never) func makeVariable() -> Slot {
  // Not an integer: boxes of trivial values of one size share the name of the first one.
  var text: String? = "text"
  return Slot(
    action: Action {
      defer { text = nil }
      return text?.count ?? 0
    })
}
/// Its reference counts are in a side table, another block.
@inline(never) func makeWatched() -> Slot {
  let object = Watched()
  weak let weakly = object
  precondition(weakly != nil, "the object is alive")
  return Slot(object: object)
}

let types: [(name: String, kind: String, type: String, make: () -> Slot)] = [
  ("makePlain", "object", "Plain", makePlain), ("makeFields", "object", "Fields", makeFields),
  ("makeDerived", "object", "Derived", makeDerived),
  ("makeGenericInt", "object", "Generic<Swift.Int>", makeGenericInt),
  ("makeGenericString", "object", "Generic<Swift.String>", makeGenericString),
  ("makeInner", "object", "Outer.Inner", makeInner), ("makeHidden", "object", "Hidden", makeHidden),
  ("makeCounter", "object", "Counter", makeCounter),
  ("makeWatched", "object", "Watched", makeWatched),
  ("makeBuffer", "object", "Buffer", makeBuffer),
  ("makeLargeBuffer", "object", "LargeBuffer", makeLargeBuffer),
  ("makeArray", "object", "Swift._ContiguousArrayStorage<known.Element>", makeArray),
  (
    "makeDictionary", "object", "Swift._DictionaryStorage<Swift.Int, known.Element>", makeDictionary
  ),
  ("makeSet", "object", "Swift._SetStorage<known.Element>", makeSet),
  ("makeText", "object", "Swift.__StringStorage", makeText),
  ("makeClosure", "closure", "(known.Captured, Swift.Int)", makeClosure),
  ("makeVariable", "closure", "(Swift.Optional<Swift.String>)", makeVariable),
  ("makeTree", "closure", "((known.Element, known.Element))", makeTree),
  ("makeLarge", "closure", "(known.Large)", makeLarge),
  ("makeError", "error", "known.Failure", makeError), ("makeTask", "task", "task", makeTask),
]

nonisolated(unsafe) var kept: [Slot] = []

/// Makes objects without keeping them: the memory that refers to each one is freed, and the object
/// is not released. Returns their bytes.
@inline(never) func leak(_ count: Int, _ make: () -> Slot) -> Int {
  (0..<count).reduce(0) { bytes, _ in
    let slot = UnsafeMutablePointer<Slot>.allocate(capacity: 1)
    slot.initialize(to: make())
    defer {
      memset(slot, 0, MemoryLayout<Slot>.size)
      slot.deallocate()
    }
    return bytes + size(slot.pointee)
  }
}

/// Swift's module of the C library lacks this function.
@_silgen_name("malloc_usable_size")
func malloc_usable_size(_ block: UnsafeMutableRawPointer?) -> Int

func size(_ slot: Slot) -> Int {
  malloc_usable_size(UnsafeMutableRawPointer(bitPattern: slot.address))
}

/// Overwrites the stack below the caller, where words may be left that look like references.
@inline(never) func clearStack() {
  withUnsafeTemporaryAllocation(byteCount: 100_000, alignment: 16) { memory in
    _ = memset(memory.baseAddress!, 0, memory.count)
  }
}

func makeAll() {
  for (index, entry) in types.enumerated() {
    let isLarge = entry.name == "makeLargeBuffer"
    let (count, leaked) = isLarge ? (4, 2) : (100 + 7 * index, 10 + index)
    let first = kept.count
    for _ in 0..<count { kept.append(entry.make()) }
    let bytes = kept[first...].reduce(0) { $0 + size($1) }
    let leakedBytes = leak(leaked, entry.make)
    let type = entry.kind == "object" && !entry.type.hasPrefix("Swift.") ? "known." : ""
    print(
      entry.name, entry.kind, type + entry.type, count + leaked, bytes + leakedBytes, leaked,
      leakedBytes, separator: "\t")
  }
}

makeAll()
clearStack()
// The tasks run until they wait.
usleep(300_000)
print("ready")
fflush(stdout)
while getchar() != EOF {}
exit(0)
