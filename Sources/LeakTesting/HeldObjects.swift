import CLeakTesting
import RuntimeInspection

/// The objects that a value holds: the value itself if it is an object, otherwise the objects in
/// its parts.
///
/// The search covers optionals, tuples, structs, enums, arrays, sets and dictionaries. It does not
/// cover the properties of objects; closures and tasks, whose contents reflection does not show;
/// and Foundation's value types, whose objects are private.
struct HeldObjects {
  private(set) var objects: [AnyObject] = []
  /// Whether the value contains a closure, which may hold more objects.
  private(set) var hasClosure = false

  init(in value: Any) {
    add(value)
  }

  private mutating func add(_ value: Any) {
    let type = type(of: value)
    if type is AnyClass { return objects.append(object(in: value)) }
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

extension HeldObjects {
  /// The start of a search for an object that a value holds.
  private final class Holder {
    let value: Any

    init(_ value: Any) { self.value = value }
  }

  /// Returns whether `value` holds an object, which is in no cycle, directly or through other
  /// objects.
  ///
  /// Searches in a copy of this process. Where such a search does not work, it looks into errors
  /// that are objects, and into no other object; an object in a cycle then counts as held too.
  static func isHeld(_ object: AnyObject, by value: Any) -> Bool {
    var search = RetainSearch(timeout: .seconds(60), findsTasks: false)
    search.addRoot("value", Holder(value))
    switch search.find(object) {
    case .path(let path, strongCount: _): return path.origin == .root("value")
    case .none: return false
    case .unavailable: return reaches(object, from: value)
    }
  }

  private static func reaches(_ object: AnyObject, from value: Any) -> Bool {
    var rest = HeldObjects(in: value).objects
    var seen: Set<ObjectIdentifier> = []
    while let next = rest.popLast() {
      if next === object { return true }
      // Only errors: other threads may be changing the fields of another object.
      guard next is any Error, seen.insert(ObjectIdentifier(next)).inserted else { continue }
      var mirror = Mirror(reflecting: next) as Mirror?
      while let level = mirror {
        for child in level.strongChildren(isCustom: next is any CustomReflectable) {
          rest += HeldObjects(in: child.value).objects
        }
        mirror = level.superclassMirror
      }
    }
    return false
  }
}

/// Returns the object that `value` is. If another value holds an error as `any Error`, a cast would
/// return the runtime's box and not the error, which is itself an object here.
private func object(in value: Any) -> AnyObject {
  func open<E: Error>(_ error: E) -> AnyObject {
    E.self is AnyClass ? unsafeBitCast(error, to: AnyObject.self) : error as AnyObject
  }
  return (value as? any Error).map { open($0) } ?? value as AnyObject
}

/// Returns whether values of a type contain no reference.
private func isPlain(_ type: Any.Type) -> Bool {
  func ask<T>(_ type: T.Type) -> Bool { _isPOD(type) }
  return _openExistential(type, do: ask)
}

/// A collection. If its elements are of a plain type, the search skips them, because there may be
/// many.
private protocol Container {
  static var isOfPlain: Bool { get }
}

extension Array: Container { fileprivate static var isOfPlain: Bool { isPlain(Element.self) } }
extension Set: Container { fileprivate static var isOfPlain: Bool { isPlain(Element.self) } }
extension Dictionary: Container {
  fileprivate static var isOfPlain: Bool { isPlain(Key.self) && isPlain(Value.self) }
}

extension Mirror {
  /// Returns the children that are strong references or values.
  ///
  /// Skips weak and unowned children, and does not read them, because their objects may be
  /// deallocated. Returns all children if the runtime does not describe the fields.
  ///
  /// - Parameter isCustom: Whether the value provides its own mirror. Its children need not be
  ///   fields, so all are returned.
  func strongChildren(isCustom: Bool) -> [Child] {
    let type = unsafeBitCast(subjectType, to: UnsafeRawPointer.self)
    // The runtime numbers the fields of superclasses too, and first; a mirror does not contain
    // them.
    let first = isCustom ? -1 : clt_field_count(type) - children.count
    return children.indices.enumerated().compactMap { number, index in
      first < 0 || clt_field_is_strong(type, first + number) ? children[index] : nil
    }
  }
}
