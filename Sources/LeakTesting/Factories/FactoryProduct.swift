import LeakMonitoring
import WeakCollections

/// What a factory has made and expects to go with it; holds it weakly.
public final class FactoryProduct: Sendable {
  private let typeName: String
  private let site: CallSite
  private let scope = LeakScope(inside: nil)
  private let root = MutexLock<AnyClass?>(nil)

  init(of type: AnyClass, at site: CallSite) {
    typeName = TypeName.short(type)
    self.site = site
  }

  /// Says that `object` is the one that the factory is for; traps the second time.
  public func root(_ object: AnyObject) {
    let isFirst = root.write { root in
      guard root == nil else { return false }
      root = type(of: object)
      return true
    }
    precondition(isFirst, "expected a factory to make one root")
    add(object, named: typeName)
  }

  /// Says that `object` belongs to the root and is to go with it, as a screen's view model; in reports `name`
  /// stands after the root's.
  public func dependant(_ object: AnyObject, named name: String) {
    add(object, named: "\(typeName).\(name)")
  }

  /// The class of the root.
  var rootType: AnyClass? { root.read { $0 } }

  /// Records what lives on; returns the names of that.
  func end(within duration: Duration) async -> [String] {
    await scope.end(within: duration).map(\.description)
  }

  private func add(_ object: AnyObject, named name: String) {
    scope.add(TrackedObject(object, describedAs: name, at: site))
  }
}
