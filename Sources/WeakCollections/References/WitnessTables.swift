import CShims
import Primitives

/// The memory layout of a value of a reference type: one object reference, then witness tables.
enum ReferenceLayout {
  /// Traps if `Element` is not a class, an actor, `AnyObject`, or a class-bound protocol type.
  ///
  /// For a class the check is a constant; for a protocol type it reads two words of metadata. It
  /// does not inspect a value: a protocol that is not bound to `AnyObject` traps even if the value
  /// is an object, because the next value could be a struct.
  static func require<Element>(_ element: Element.Type) {
    if element is AnyClass { return }
    guard
      cws_is_class_bound_existential(unsafeBitCast(element as Any.Type, to: UnsafeRawPointer.self))
    else {
      fatalError(
        "\(Element.self) is not a reference type; use a class, an actor or a class-bound protocol")
    }
  }

  /// Returns the object that `element` refers to.
  ///
  /// Never reads the object through an address: the optimizer would lose track of it, and could
  /// allocate an object on the stack that other code refers to.
  @inline(__always)
  static func object<Element>(of element: Element) -> AnyObject {
    if witnessCount(of: Element.self) == 0 { return unsafeBitCast(element, to: AnyObject.self) }
    return withUnsafeBytes(of: element) { $0.load(as: AnyObject.self) }
  }

  /// Returns the number of witness tables that follow the object reference.
  static func witnessCount<Element>(of element: Element.Type) -> Int {
    MemoryLayout<Element>.size / MemoryLayout<UInt>.size - 1
  }
}

/// The witness tables of a value of a reference type: none, one word, or the address of several
/// words.
///
/// Several words are interned and never freed; their number is bounded by the combinations of a
/// type and a protocol composition in the program. So every reference has the same size, and
/// copying it copies a word.
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

  /// Initializes the memory at `pointer` with a value that refers to `object` and has the given
  /// witness tables.
  ///
  /// Stores words, because the optimizer would retain and release an object once more if it were
  /// passed as a value.
  ///
  /// - Parameters:
  ///   - pointer: Uninitialized memory.
  ///   - object: The object, with a reference that the value takes over.
  ///   - tables: The witness tables; nil if the type has none.
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

  /// Returns the value that refers to `object` and has these witness tables.
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

/// Interned copies of several words each, which are never freed. Equal words have one copy.
///
/// A list that only grows, newest first. It is lock-free, because an append to a lock-free array
/// interns the witness tables of a protocol composition.
enum InternedTables {
  /// The newest entry: the address of the next entry, the number of bytes, the words.
  private static let newest = Atomic<UInt>(0)
  private static let wordSize = MemoryLayout<UInt>.size
  private static let headerSize = 2 * wordSize

  /// Returns the address of the copy of `words`.
  ///
  /// - Complexity: O(*n*) in the number of copies, at most one for each pair of a type and a
  ///   composition.
  static func address(of words: UnsafeRawBufferPointer) -> UInt {
    // Acquiring: pairs with the releasing compare-exchange below, which publishes an entry.
    var first = newest.load(ordering: .acquiring)
    if let found = find(words, from: first) { return found }
    // Not a scheduler's node: it is never freed, so it outlives every managed scheduler.
    let entry = UnsafeMutableRawPointer.allocate(
      byteCount: headerSize + words.count, alignment: MemoryLayout<UInt>.alignment)
    entry.storeBytes(of: UInt(words.count), toByteOffset: wordSize, as: UInt.self)
    (entry + headerSize).copyMemory(from: words.baseAddress!, byteCount: words.count)
    while true {
      entry.storeBytes(of: first, as: UInt.self)
      // Releasing: publishes the entry to the acquiring load above. Acquiring on failure, to read
      // the entries that another thread added. A success has nothing left to acquire: `first` came
      // from an acquiring load or failure. No ABA: an entry that was ever first stays in the list.
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
