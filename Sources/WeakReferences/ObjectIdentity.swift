/// Which object a value refers to, without retaining it.
public struct ObjectIdentity: Equatable, Sendable {
  @usableFromInline
  let address: UInt

  /// - Parameter element: a value of a reference type, which begins with the object's address.
  @inline(__always)
  public init<Element>(of element: Element) {
    address = withUnsafeBytes(of: element) { $0.load(as: UInt.self) }
  }
}
