/// What a class-bound protocol value holds beside its object: nothing, one word, or the address of
/// several.
///
/// Several are interned for ever: there are as many as combinations of a type and a composition of
/// protocols in the program. So a reference has one size, and copying it copies a word.
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

  /// Makes what is at `pointer`, which is uninitialized memory, the value that has these tables, if its type
  /// has any, and refers to `object`, which it takes over.
  ///
  /// Written as words: the optimizer retains and releases an object once more that is passed on as a value.
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
