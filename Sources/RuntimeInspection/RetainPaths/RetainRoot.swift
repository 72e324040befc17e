/// An object from which paths are looked for.
struct RetainRoot {
  let name: String
  private let object: AnyObject

  init(name: String, object: AnyObject) {
    self.name = name
    self.object = object
  }

  /// Valid as long as the root is.
  var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()) }
}

// @unchecked: the object is kept and its address is taken; of it only what never changes is read, its class. The
// last copy of a search lets it go, so that its `deinit` may run on any thread, as that of any object that is shared.
extension RetainRoot: @unchecked Sendable {}
