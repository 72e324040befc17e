/// Strong references that were taken only to learn that their objects live: each may be the last one by
/// now. They are let go with this value, which is to be where a `deinit` may run: outside locks and pins.
public struct PromotedObjects {
  private var objects: [AnyObject] = []

  public init() {}

  public mutating func add(_ object: AnyObject) {
    objects.append(object)
  }
}

// @unchecked: nobody gets at the objects again; they are only released, which any thread may do.
extension PromotedObjects: @unchecked Sendable {}
