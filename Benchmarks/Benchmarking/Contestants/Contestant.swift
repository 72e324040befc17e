import Measurements
import WeakCollections
import Workloads

/// What a trial times: a backend of ours, what people use instead, or the empty loop.
public struct Contestant: Hashable, Sendable {
  public let kind: Measurement.Kind
  public let collection: CollectionKind
  /// As on the command line and in CSV.
  public let name: String
  /// The Swift type that is timed.
  public let typeName: String
  let design: Design

  enum Design: Hashable, Sendable {
    case backend(Backend)
    case emptyLoop
    case lockAroundValue
    case published
  }

  /// Subjects first, then peers, then the baseline.
  public static func all(for collection: CollectionKind) -> [Contestant] {
    let subjects = Backend.supporting(collection).map { backend in
      Contestant(
        kind: .subject, collection: collection, name: backend.rawValue,
        typeName: backend.typeName(for: collection), design: .backend(backend))
    }
    return subjects + peers(for: collection) + [baseline(for: collection)]
  }

  public static func baseline(for collection: CollectionKind) -> Contestant {
    Contestant(
      kind: .baseline, collection: collection, name: "empty-loop",
      typeName: collection == .weakArray ? "EmptyWeakArray" : "EmptyDictionary",
      design: .emptyLoop)
  }

  private static func peers(for collection: CollectionKind) -> [Contestant] {
    let suffix = collection == .weakArray ? "WeakArray" : "Dictionary"
    return [
      Contestant(
        kind: .peer, collection: collection, name: "ns-lock", typeName: "NSLock\(suffix)",
        design: .lockAroundValue),
      Contestant(
        kind: .peer, collection: collection, name: "published-queue",
        typeName: "PublishedAtomic\(suffix)", design: .published),
    ]
  }

  /// The trait that makes it the default; nil for what is not a backend of ours.
  public var trait: String? {
    if case .backend(let backend) = design { backend.trait } else { nil }
  }

  /// Whether it has the operations of `workload`, and gets them right: a design that loses updates
  /// cannot pass a trial that counts them.
  public func supports(_ workload: Workload) -> Bool {
    guard workload.subject.rawValue == collection.rawValue else { return false }
    guard design == .published else { return true }
    return workload.mix.update == 0 && (collection == .dictionary || workload.mix.remove == 0)
  }
}
