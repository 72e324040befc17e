import StressTesting
import WeakCollections

extension BackendCatalog {
  /// A backend as it is shipped.
  static func subject(of backend: Backend, _ collection: CollectionKind) -> Subject {
    subjects.first { $0.name == backend.rawValue && $0.collection == collection }!
  }
}

extension Scenario {
  /// A scenario of our own, written as `text` reads it.
  static func trusted(_ text: String, for collection: CollectionKind) -> Scenario {
    do {
      return try Scenario(parsing: text, for: collection)
    } catch {
      preconditionFailure(error.description)
    }
  }
}
