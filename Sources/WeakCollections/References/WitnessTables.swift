import CShims
import Primitives

/// The memory layout of a value of a reference type: one object reference, then witness tables.
enum ReferenceLayout {
  /// Traps unless `Element` is a class, an actor, `AnyObject`, or a class-bound protocol type.
  ///
  /// For a class the test is a constant; for a protocol type it reads two words of its metadata. It
  /// does not check a value: a protocol not bound to `AnyObject` traps even if the value is of a
  /// class, since the next one could be of a value type.
  static func require<Element>(_ element: Element.Type) {
    if element is AnyClass { return }
    precondition(
      cws_is_class_bound_existential(unsafeBitCast(element as Any.Type, to: UnsafeRawPointer.self)),
      "expected a class, an actor or a protocol bound to AnyObject, not \(Element.self)")
  }

  /// The object that `element` refers to.
  ///
  /// Never through an address: the optimizer would lose track of the object, and allocate one on
  /// the stack that is referred to from elsewhere.
  @inline(__always)
  static func object<Element>(of element: Element) -> AnyObject {
    if witnessCount(of: Element.self) == 0 { return unsafeBitCast(element, to: AnyObject.self) }
    return withUnsafeBytes(of: element) { $0.load(as: AnyObject.self) }
  }

  /// The number of witness tables behind the object reference.
  static func witnessCount<Element>(of element: Element.Type) -> Int {
    MemoryLayout<Element>.size / MemoryLayout<UInt>.size - 1
  }
}

/// The witness tables of a value of a reference type: none, one word, or the address of several.
///
/// Several are interned and never freed: there are as many as combinations of a type and a protocol
/// composition in the program. So a reference has one size, and copying it copies a word.
struct WitnessTables {
  private var word: UInt = 0

  init<Element>(of element: Element) {
    let count = ReferenceLayout.witnessCount(of: Element.self)
    guard count > 0 else { return }
    word = withUnsafeBytes(of: element) { bytes in
      let tables = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(MemoryLayout<UInt>.size))
      return count == 1 ? tables.load(as: UInt.self) : InternedTables.address(of: tables)
    }
  }

  /// Initializes the memory at `pointer` with the value that has these tables, if its type has any,
  /// and refers to `object`, whose ownership it takes.
  ///
  /// Stores words: the optimizer would retain and release an object once more that is passed as a
  /// value.
  @inline(__always)
  static func initialize<Element>(
    _ pointer: UnsafeMutablePointer<Element>, to object: Unmanaged<AnyObject>,
    _ tables: WitnessTables?
  ) {
    if let tables {
      pointer.initialize(to: tables.element(for: object.takeRetainedValue(), as: Element.self))
    } else {
      UnsafeMutableRawPointer(pointer).storeBytes(
        of: object.toOpaque(), as: UnsafeMutableRawPointer.self)
    }
  }

  /// The value that has these tables and refers to `object`.
  func element<Element>(for object: AnyObject, as type: Element.Type) -> Element {
    let count = ReferenceLayout.witnessCount(of: type)
    if count == 0 { return unsafeBitCast(object, to: Element.self) }
    if count == 1 { return unsafeBitCast((object, word), to: Element.self) }
    return withUnsafeTemporaryAllocation(of: Element.self, capacity: 1) { element in
      let raw = UnsafeMutableRawPointer(element.baseAddress!)
      raw.initializeMemory(as: AnyObject.self, to: object)
      let tables = UnsafeRawPointer(bitPattern: word)!
      let size = MemoryLayout<UInt>.size
      raw.advanced(by: size).copyMemory(from: tables, byteCount: count * size)
      return element.baseAddress!.move()
    }
  }
}

/// Copies of several words each, never freed: equal words have one copy.
///
/// A list that only grows, newest first. So no thread waits for another: an append to a lock-free
/// array interns the tables of a protocol composition.
enum InternedTables {
  /// An entry: the address of the next one, the number of words, the words.
  private static let newest = Atomic<UInt>(0)
  private static let wordSize = MemoryLayout<UInt>.size
  private static let headerSize = 2 * wordSize

  /// The address of the copy of `words`.
  ///
  /// - Complexity: O(number of copies), which is the number of pairs of a type and a composition.
  static func address(of words: UnsafeRawBufferPointer) -> UInt {
    // Acquiring: pairs with the releasing exchange below, which publishes an entry.
    var first = newest.load(ordering: .acquiring)
    if let found = find(words, from: first) { return found }
    // Not a node: it is never freed, so it outlives every scheduler.
    let entry = UnsafeMutableRawPointer.allocate(
      byteCount: headerSize + words.count, alignment: MemoryLayout<UInt>.alignment)
    entry.storeBytes(of: UInt(words.count), toByteOffset: wordSize, as: UInt.self)
    (entry + headerSize).copyMemory(from: words.baseAddress!, byteCount: words.count)
    while true {
      entry.storeBytes(of: first, as: UInt.self)
      // Releasing: publishes the entry to the acquiring load above. Acquiring on failure, to read
      // the entries that came before this one. No ABA: an entry that was ever first stays in the
      // list.
      let (done, current) = newest.compareExchange(
        expected: first, desired: UInt(bitPattern: entry),
        successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
      if done { return UInt(bitPattern: entry + headerSize) }
      first = current
      if let found = find(words, from: first) {
        entry.deallocate()
        return found
      }
    }
  }

  private static func find(_ words: UnsafeRawBufferPointer, from first: UInt) -> UInt? {
    var next = first
    while let entry = UnsafeRawPointer(bitPattern: next) {
      let byteCount = Int(entry.load(fromByteOffset: wordSize, as: UInt.self))
      let copy = UnsafeRawBufferPointer(start: entry + headerSize, count: byteCount)
      if copy.elementsEqual(words) { return UInt(bitPattern: copy.baseAddress) }
      next = entry.load(as: UInt.self)
    }
    return nil
  }
}
