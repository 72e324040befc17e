import CLeakTesting

/// The objects that a value holds: itself, or in its parts if it is a value type or a container.
///
/// It looks into optionals, tuples, structs, enums, arrays, sets and dictionaries; not into objects, nor into
/// closures and tasks, which nothing tells the contents of, nor into Foundation's value types, whose objects are
/// their own affair.
struct HeldObjects {
  private(set) var objects: [AnyObject] = []
  /// Whether there is a closure, which may hold more.
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
    for child in mirror.holding(value) { add(child.value) }
  }

}

/// Whether values of that type are bits alone.
private func isPlain(_ type: Any.Type) -> Bool {
  func ask<T>(_ type: T.Type) -> Bool { _isPOD(type) }
  return _openExistential(type, do: ask)
}

/// A container whose elements are asked for their type, since they may be many.
private protocol Container {
  static var isOfPlain: Bool { get }
}

extension Array: Container { fileprivate static var isOfPlain: Bool { isPlain(Element.self) } }
extension Set: Container { fileprivate static var isOfPlain: Bool { isPlain(Element.self) } }
extension Dictionary: Container {
  fileprivate static var isOfPlain: Bool { isPlain(Key.self) && isPlain(Value.self) }
}

extension Mirror {
  /// The children through which `value`, whose mirror this is, holds something.
  fileprivate func holding(_ value: Any) -> [Child] {
    displayStyle == .struct
      ? strongChildren(isCustom: value is any CustomReflectable) : Array(children)
  }
}

/// The stored fields of one type, without those of its superclasses.
struct StoredFields {
  private let type: UnsafeRawPointer
  private let first: Int

  /// Nil if the runtime does not tell, or tells of fewer fields than `count`.
  init?(of type: Any.Type, count: Int) {
    self.type = unsafeBitCast(type, to: UnsafeRawPointer.self)
    first = clt_field_count(self.type) - count
    if first < 0 { return nil }
  }

  /// Whether a field holds what it refers to: not if it is weak or unowned.
  func isStrong(_ index: Int) -> Bool { clt_field_is_strong(type, first + index) }
}

extension Mirror {
  /// The children that hold what they refer to. The others are not read: an unowned one may be gone.
  func strongChildren(isCustom: Bool) -> [Child] {
    let fields = isCustom ? nil : StoredFields(of: subjectType, count: children.count)
    return children.indices.enumerated().compactMap { number, index in
      fields?.isStrong(number) == false ? nil : children[index]
    }
  }
}
