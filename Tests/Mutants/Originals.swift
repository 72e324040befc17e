import StressTesting
import WeakCollections

extension BackendCatalog {
  /// A backend as it is shipped.
  static func subject(of backend: Backend, _ collection: CollectionKind) -> Subject {
    subjects.first { $0.name == backend.rawValue && $0.collection == collection }!
  }
}
