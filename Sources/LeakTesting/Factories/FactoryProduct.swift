import LeakMonitoring
import WeakCollections

/// What a factory has made and expects to go with it; holds it weakly.
public final class FactoryProduct: Sendable {
  // @unchecked: of the object others only ask whether it lives.
  struct Part: @unchecked Sendable {
    /// As in "ProfileScreen" or "ProfileScreen.model".
    let name: String
    let type: AnyClass
    let reference: WeakReference<AnyObject>
  }

  private let typeName: String
  private let state = MutexLock<(root: Part?, dependants: [Part])>((nil, []))

  init(of type: AnyClass) {
    typeName = TypeName.short(type)
  }

  /// Says that `object` is the one that the factory is for; traps the second time.
  public func root(_ object: AnyObject) {
    let part = Part(name: typeName, type: type(of: object), reference: WeakReference(object))
    let isFirst = state.write { state in
      guard state.root == nil else { return false }
      state.root = part
      return true
    }
    precondition(isFirst, "expected a factory to make one root")
  }

  /// Says that `object` belongs to the root and is to go with it, as a screen's view model.
  ///
  /// - Parameter name: names it in reports, after the root.
  public func dependant(_ object: AnyObject, named name: String) {
    let part = Part(
      name: "\(typeName).\(name)", type: type(of: object), reference: WeakReference(object))
    state.write { $0.dependants.append(part) }
  }

  var root: Part? { state.read { $0.root } }

  /// The root and then the others.
  var parts: [Part] { state.read { ($0.root.map { [$0] } ?? []) + $0.dependants } }
}
