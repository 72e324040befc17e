import CLeakTesting

/// The objects that a value holds: the value itself, or those in its parts if it is a value type or
/// a container.
///
/// It looks into optionals, tuples, structs, enums, arrays, sets and dictionaries. It does not look
/// into objects, into closures and tasks, whose contents have no description, or into Foundation's
/// value types, whose objects are private.
struct HeldObjects {
  private(set) var objects: [AnyObject] = []
  /// Whether the value contains a closure, which may hold more.
  private(set) var hasClosure = false

  init(in value: Any) {
    add(value)
  }

  private mutating func add(_ value: Any) {
    let type = type(of: value)
    if type is AnyClass { return objects.append(value as AnyObject) }
    guard !isPlain(type), (type as? any Container.Type)?.isOfPlain != true else { return }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .struct, String(reflecting: type).hasPrefix("Foundation") { return }
    if mirror.displayStyle == nil && "\(type)".contains("->") {
      hasClosure = true
      return
    }
    let isStruct = mirror.displayStyle == .struct
    let children =
      isStruct
      ? mirror.strongChildren(isCustom: value is any CustomReflectable) : Array(mirror.children)
    for child in children { add(child.value) }
  }
}

/// Returns whether values of a type contain no reference.
private func isPlain(_ type: Any.Type) -> Bool {
  func ask<T>(_ type: T.Type) -> Bool { _isPOD(type) }
  return _openExistential(type, do: ask)
}

/// A container whose element type decides for all elements, since there may be many.
private protocol Container {
  static var isOfPlain: Bool { get }
}

extension Array: Container { fileprivate static var isOfPlain: Bool { isPlain(Element.self) } }
extension Set: Container { fileprivate static var isOfPlain: Bool { isPlain(Element.self) } }
extension Dictionary: Container {
  fileprivate static var isOfPlain: Bool { isPlain(Key.self) && isPlain(Value.self) }
}

extension Mirror {
  /// Returns the children that hold the object they refer to. It does not read weak and unowned
  /// ones, whose object may be gone; it returns all children if the runtime does not describe the
  /// fields.
  ///
  /// - Parameter isCustom: Whether the value provides its own mirror, whose children are not its
  ///   fields.
  func strongChildren(isCustom: Bool) -> [Child] {
    let type = unsafeBitCast(subjectType, to: UnsafeRawPointer.self)
    // The runtime counts the fields of superclasses too, which come first; the mirror does not.
    let first = isCustom ? -1 : clt_field_count(type) - children.count
    return children.indices.enumerated().compactMap { number, index in
      first < 0 || clt_field_is_strong(type, first + number) ? children[index] : nil
    }
  }
}
