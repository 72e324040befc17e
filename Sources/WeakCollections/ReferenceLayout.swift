import CShims

/// How a value of a reference type lies in memory: one object reference, then witness tables.
enum ReferenceLayout {
  /// Traps unless `Element` is a class, an actor, `AnyObject`, or a class-bound protocol type.
  ///
  /// For a class the test is a constant; for a protocol type it reads two words of its metadata. It does
  /// not look at the value: a protocol not bound to `AnyObject` traps even when it holds a class, since
  /// a value type could come next.
  static func require<Element>(_ element: Element.Type) {
    if element is AnyClass { return }
    precondition(
      cws_is_class_bound_existential(unsafeBitCast(element as Any.Type, to: UnsafeRawPointer.self)),
      "expected a class, an actor or a protocol bound to AnyObject, not \(Element.self)")
  }

  /// The object that `element` refers to.
  ///
  /// Never by way of an address: the optimizer would lose sight of the object, and put on the stack one that
  /// is referred to from elsewhere.
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
