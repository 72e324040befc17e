import WeakCollections

/// Conversions between the counted objects of a check and the elements of a weak collection:
/// `CountedObject` itself, `AnyObject`, or a protocol to which a test lets `CountedObject` conform.
enum WeakItem<Element> {
  /// Whether `CountedObject` is an `Element`.
  static var canBeMade: Bool { CountedObject(0) is Element }

  static func element(_ object: CountedObject) -> Element {
    guard let element = object as? Element else {
      preconditionFailure(
        "CountedObject is no \(Element.self); let it conform, or use CountedObject")
    }
    return element
  }

  static func object(of element: Element) -> CountedObject {
    guard let object = element as AnyObject as? CountedObject else {
      preconditionFailure("the collection returned \(element), which the check did not insert")
    }
    return object
  }

  /// What elements of this type lack; nil if the checks can make them.
  static var need: ContractNeed? { canBeMade ? nil : .countedElements }
}
