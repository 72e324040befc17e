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
    case custom(CustomDesign)
    case emptyLoop
    case foreign(ForeignMap)
    case lockAroundValue
    case published
    case slowed(percent: Int)
    case unshared
  }

  /// Subjects first, then peers, then baselines.
  public static func all(for collection: CollectionKind) -> [Contestant] {
    let subjects = Backend.supporting(collection).map { backend in
      Contestant(
        kind: .subject, collection: collection, name: backend.rawValue,
        typeName: backend.typeName(for: collection), design: .backend(backend))
    }
    let own = collection == .dictionary ? [unshared] : []
    return subjects + peers(for: collection) + [baseline(for: collection)] + own
  }

  /// The contestant of that name; nil if this build has none.
  public static func named(_ name: String, for collection: CollectionKind) -> Contestant? {
    all(for: collection).first { $0.name == name }
  }

  public static func baseline(for collection: CollectionKind) -> Contestant {
    Contestant(
      kind: .baseline, collection: collection, name: "empty-loop",
      typeName: "Empty" + suffix(of: collection),
      design: .emptyLoop)
  }

  /// What no sharing costs: the standard library's dictionary, one for each thread.
  private static var unshared: Contestant {
    Contestant(
      kind: .baseline, collection: .dictionary, name: "unshared", typeName: "Dictionary",
      design: .unshared)
  }

  private static func peers(for collection: CollectionKind) -> [Contestant] {
    // Nobody has published a weak set.
    if collection == .weakSet { return [] }
    let suffix = suffix(of: collection)
    return [
      Contestant(
        kind: .peer, collection: collection, name: "ns-lock", typeName: "NSLock\(suffix)",
        design: .lockAroundValue),
      Contestant(
        kind: .peer, collection: collection, name: "published-queue",
        typeName: "PublishedAtomic\(suffix)", design: .published),
    ] + (collection == .dictionary ? ForeignMap.available.map(Contestant.init) : [])
  }

  private static func suffix(of collection: CollectionKind) -> String {
    switch collection {
    case .weakArray: "WeakArray"
    case .dictionary: "Dictionary"
    case .weakSet: "WeakSet"
    }
  }

  /// The trait that makes it the default; nil for what is not a backend of ours.
  public var trait: String? { backend?.trait }

  /// nil for what is not a backend of ours.
  package var backend: Backend? {
    if case .backend(let backend) = design { backend } else { nil }
  }

  /// Whether it is run when nothing is asked for; the others are there for `limits`.
  public var isStandard: Bool {
    switch design {
    case .backend, .emptyLoop, .lockAroundValue, .published: true
    case .custom, .foreign, .slowed, .unshared: false
    }
  }

  /// Whether it is written anew from an article's description, defects included.
  public var isPublishedDesign: Bool { design == .published }

  /// Whether its threads share one collection.
  var isShared: Bool { design != .unshared }

  /// Whether it is to keep its promises: the empty loop makes none.
  var isVerified: Bool { design != .emptyLoop }

  /// Whether it times itself, in another language, and so no single operation.
  var timesItself: Bool {
    if case .foreign = design { true } else { false }
  }

  /// Whether its operations can be started one by one, when they are due.
  public var isPaceable: Bool { !timesItself }

  /// Whether it has the operations of `workload`, and gets them right: a design that loses updates
  /// cannot pass a trial that counts them.
  public func supports(_ workload: Workload) -> Bool {
    guard workload.subject.rawValue == collection.rawValue else { return false }
    // These three are dictionaries of integers alone.
    if case .foreign = design { return ForeignMap.supports(workload) }
    if case .custom = design, collection == .dictionary {
      return workload.entries == .integerToInteger
    }
    if design == .unshared { return workload.entries == .integerToInteger }
    guard design == .published else { return true }
    let removes = workload.mix.remove > 0 || workload.behaviour == .reregistering
    return workload.mix.update == 0 && (collection == .dictionary || !removes)
  }
}

extension Contestant {
  fileprivate init(_ map: ForeignMap) {
    self.init(
      kind: .peer, collection: .dictionary, name: map.rawValue, typeName: map.typeName,
      design: .foreign(map))
  }
}

/// How trials are made of a type that this package does not know.
struct CustomDesign: Sendable {
  private let type: ObjectIdentifier
  /// Made where the type is known, so that what is timed is specialized for it.
  let makeSubject: SubjectFactory

  init(_ type: Any.Type, makeSubject: @escaping SubjectFactory) {
    self.type = ObjectIdentifier(type)
    self.makeSubject = makeSubject
  }
}

extension CustomDesign: Hashable {
  static func == (one: CustomDesign, other: CustomDesign) -> Bool { one.type == other.type }

  func hash(into hasher: inout Hasher) { hasher.combine(type) }
}

extension Contestant {
  /// A dictionary of somebody's own, measured and verified like those of this package.
  ///
  /// The name is as in the rows: in kebab-case, and none of `all(for:)`.
  public init<D: ConcurrentDictionary & Sendable>(named name: String, dictionary: D.Type)
  where D.Key == Int, D.Value == Int {
    self.init(
      custom: CustomDesign(D.self) { DictionarySubject<IntegerEntries>(of: D.self, $0) },
      name: name, typeName: "\(D.self)", collection: .dictionary)
  }

  /// A weak array of somebody's own; its name as that of a dictionary.
  public init<A: ConcurrentWeakArray & Sendable>(named name: String, weakArray: A.Type)
  where A.Element == Member {
    self.init(
      custom: CustomDesign(A.self) { WeakArraySubject(of: A.self, $0) }, name: name,
      typeName: "\(A.self)", collection: .weakArray)
  }

  private init(
    custom design: CustomDesign, name: String, typeName: String, collection: CollectionKind
  ) {
    precondition(
      name.wholeMatch(of: /[a-z][a-z0-9]*(-[a-z0-9]+)*/) != nil,
      "expected a name in kebab-case, such as my-dictionary")
    precondition(
      Contestant.named(name, for: collection) == nil, "expected a name that is not taken")
    self.init(
      kind: .peer, collection: collection, name: name, typeName: typeName,
      design: .custom(design))
  }
}

/// By collection and name: another process of the same program finds the rest.
extension Contestant: Codable {
  private enum CodingKeys: String, CodingKey { case collection, name }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let collection = try container.decode(String.self, forKey: .collection)
    let name = try container.decode(String.self, forKey: .name)
    guard
      let kind = CollectionKind(rawValue: collection),
      let contestant = Contestant.named(name, for: kind)
        ?? Contestant.slowed(named: name, for: kind)
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .name, in: container,
        debugDescription: "this build has no \(collection) called \(name)")
    }
    self = contestant
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(collection.rawValue, forKey: .collection)
    try container.encode(name, forKey: .name)
  }
}

extension Contestant {
  /// How trials of `workload` make what they time.
  func subjectFactory(for workload: Workload) async throws -> SubjectFactory {
    switch (collection, design) {
    case (_, .custom(let design)): design.makeSubject
    case (.weakArray, _): try await WeakArraySubject.factory(for: self)
    case (.weakSet, _): try await WeakSetSubject.factory(for: self)
    case (.dictionary, .foreign): { ForeignMapSubject($0) }
    case (.dictionary, .unshared): { UnsharedSubject($0) }
    case (.dictionary, .slowed): { DictionarySubject<IntegerEntries>(slowed: $0) }
    case (.dictionary, _):
      switch workload.entries {
      case .integerToInteger: try await IntegerEntries.subjectFactory(for: self)
      case .stringToInteger: try await StringEntries.subjectFactory(for: self)
      case .integerToObject: try await ObjectEntries.subjectFactory(for: self)
      }
    }
  }

  /// Runs `visitor` on the contestant's weak array, as a concrete type.
  package func withWeakArray<V: WeakArrayVisitor>(_ visitor: V) async throws -> V.Output
  where V.Element == Member {
    switch design {
    case .backend(let backend): try await backend.withWeakArray(visitor)
    case .emptyLoop: try await visitor.visit(EmptyWeakArray.self)
    case .custom, .foreign, .slowed, .unshared:
      preconditionFailure("expected a weak array of this package")
    case .lockAroundValue: try await visitor.visit(NSLockWeakArray<Member>.self)
    case .published: try await visitor.visit(PublishedWeakArrayAdapter.self)
    }
  }

  /// Runs `visitor` on the contestant's dictionary, as a concrete type.
  package func withDictionary<V: DictionaryVisitor>(_ visitor: V) async throws -> V.Output {
    switch design {
    case .backend(let backend): try await backend.withDictionary(visitor)
    case .emptyLoop: try await visitor.visit(EmptyDictionary<V.Key, V.Value>.self)
    case .custom, .foreign: preconditionFailure("expected a Swift type of this package")
    case .slowed: preconditionFailure("\(name) has a subject of its own")
    case .unshared: try await visitor.visit(UnsynchronizedDictionary<V.Key, V.Value>.self)
    case .lockAroundValue: try await visitor.visit(NSLockDictionary<V.Key, V.Value>.self)
    case .published: try await visitor.visit(PublishedDictionaryAdapter<V.Key, V.Value>.self)
    }
  }

  /// Runs `visitor` on the contestant's weak set, as a concrete type.
  func withWeakSet<V: WeakSetVisitor>(_ visitor: V) async throws -> V.Output
  where V.Element == Member {
    switch design {
    case .backend(let backend): try await backend.withWeakSet(visitor)
    case .emptyLoop: try await visitor.visit(EmptyWeakSet.self)
    case .custom, .foreign, .lockAroundValue, .published, .slowed, .unshared:
      preconditionFailure("expected a design that has weak sets, see Contestant.all(for:)")
    }
  }
}
