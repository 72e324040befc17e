import Measurements
import Synchronization
import WeakCollections
import Workloads

/// The subject of a trial: a backend of this package, an alternative to it, or a baseline.
public struct Contestant: Hashable, Sendable {
  /// The kind of contestant, as in the CSV.
  public let kind: Measurement.Kind
  /// The abstract type.
  public let collection: CollectionKind
  /// The name, as on the command line and in CSV.
  public let name: String
  /// The name of the measured type.
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

  /// Returns the contestants of this build: backends first, then those of the program that uses
  /// this package, then peers, then baselines.
  public static func all(for collection: CollectionKind) -> [Contestant] {
    let subjects = Backend.supporting(collection).map { backend in
      Contestant(
        kind: .subject, collection: collection, name: backend.rawValue,
        typeName: backend.typeName(for: collection), design: .backend(backend))
    }
    let own = collection == .dictionary ? [unshared] : []
    return subjects + registered.withLock { $0.filter { $0.collection == collection } }
      + peers(for: collection) + [baseline(for: collection)] + own
  }

  /// The contestants of the program that uses this package.
  private static let registered = Synchronization.Mutex<[Contestant]>([])

  /// Adds contestants to those that `all(for:)` returns.
  ///
  /// - Precondition: No two contestants of one collection have the same name.
  package static func register(_ contestants: [Contestant]) {
    for contestant in contestants {
      checkIsNew(contestant.name, contestant.collection)
      registered.withLock { $0.append(contestant) }
    }
  }

  private static func checkIsNew(_ name: String, _ collection: CollectionKind) {
    guard named(name, for: collection) == nil else {
      fatalError("the \(collection.rawValue) '\(name)' already exists; choose another name")
    }
  }

  /// Returns the contestant called `name`, or `nil` if this build has none.
  public static func named(_ name: String, for collection: CollectionKind) -> Contestant? {
    all(for: collection).first { $0.name == name }
  }

  /// The names of the maps of other languages, which only a build with the trait `Peers` has.
  package static var foreignNames: [String] { ForeignMap.allCases.map(\.rawValue) }

  /// Returns the empty loop, which measures the benchmark's overhead.
  public static func baseline(for collection: CollectionKind) -> Contestant {
    Contestant(
      kind: .baseline, collection: collection, name: "empty-loop",
      typeName: "Empty" + suffix(of: collection),
      design: .emptyLoop)
  }

  /// The cost without sharing: a separate dictionary of the standard library for each thread.
  private static var unshared: Contestant {
    Contestant(
      kind: .baseline, collection: .dictionary, name: "unshared", typeName: "Dictionary",
      design: .unshared)
  }

  private static func peers(for collection: CollectionKind) -> [Contestant] {
    // There is no published weak set to compare with.
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

  /// The trait that makes the backend the default, or `nil` for peers and baselines.
  package var trait: String? { backend?.trait }

  /// The backend, or `nil` for peers and baselines.
  package var backend: Backend? {
    if case .backend(let backend) = design { backend } else { nil }
  }

  /// Whether `weakbench run` measures the contestant by default; `limits` needs the others.
  package var isStandard: Bool {
    switch design {
    case .backend, .custom, .emptyLoop, .lockAroundValue, .published: true
    case .foreign, .slowed, .unshared: false
    }
  }

  /// Whether the contestant is of the program that uses this package.
  package var isCustom: Bool {
    if case .custom = design { true } else { false }
  }

  /// Whether the contestant reimplements the description in an article, with its defects.
  package var isPublishedDesign: Bool { design == .published }

  /// Whether the threads share one collection.
  var isShared: Bool { design != .unshared }

  /// Whether a trial verifies the collection; the empty loop has no contract.
  var isVerified: Bool { design != .emptyLoop }

  /// Whether the timed loop is in another language, and so times no single operations.
  var timesItself: Bool {
    if case .foreign = design { true } else { false }
  }

  /// Whether the contestant supports open loops: its operations can start one by one.
  package var isPaceable: Bool { !timesItself }

  /// Returns whether the contestant has the operations of `workload` and implements them correctly.
  ///
  /// A design that loses updates, for example, would fail a trial that counts them.
  public func supports(_ workload: Workload) -> Bool {
    guard workload.subject.rawValue == collection.rawValue else { return false }
    // Foreign, custom and unshared dictionaries map integers to integers only.
    if case .foreign = design { return ForeignMap.supports(workload) }
    if case .custom = design, collection == .dictionary {
      return workload.entryTypes == .integerToInteger
    }
    if design == .unshared { return workload.entryTypes == .integerToInteger }
    guard design == .published else { return true }
    let removes = workload.mix.remove > 0 || workload.behavior == .reregistering
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

/// The design of a user's own collection.
struct CustomDesign: Sendable {
  private let type: ObjectIdentifier
  /// A factory created where the type is known, so that the timed code is specialized for it.
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
  /// Creates a contestant from your own dictionary, measured and verified like those of this
  /// package.
  ///
  /// - Parameters:
  ///   - name: A name for the rows, in kebab-case and not in `all(for:)`; traps otherwise.
  ///   - dictionary: The type to measure.
  public init<D: ConcurrentDictionary & Sendable>(named name: String, dictionary: D.Type)
  where D.Key == Int, D.Value == Int {
    self.init(
      custom: CustomDesign(D.self) { DictionarySubject<IntegerEntries>(of: D.self, $0) },
      name: name, typeName: "\(D.self)", collection: .dictionary)
  }

  /// Creates a contestant from your own weak array, measured and verified like those of this
  /// package.
  ///
  /// - Parameters:
  ///   - name: A name for the rows, in kebab-case and not in `all(for:)`; traps otherwise.
  ///   - weakArray: The type to measure.
  public init<A: ConcurrentWeakArray & Sendable>(named name: String, weakArray: A.Type)
  where A.Element == Member {
    self.init(
      custom: CustomDesign(A.self) { WeakArraySubject(of: A.self, $0) }, name: name,
      typeName: "\(A.self)", collection: .weakArray)
  }

  private init(
    custom design: CustomDesign, name: String, typeName: String, collection: CollectionKind
  ) {
    guard name.wholeMatch(of: /[a-z][a-z0-9]*(-[a-z0-9]+)*/) != nil else {
      fatalError("the name '\(name)' is not in kebab-case; choose a name such as my-dictionary")
    }
    Contestant.checkIsNew(name, collection)
    self.init(
      kind: .peer, collection: collection, name: name, typeName: typeName,
      design: .custom(design))
  }
}

/// The encoding has only the collection and the name, from which the same program restores the
/// rest.
extension Contestant: Codable {
  private enum CodingKeys: String, CodingKey { case collection, name }

  /// Decodes the collection and the name, and finds the contestant in this build.
  ///
  /// - Throws: `DecodingError` if this build has no such contestant.
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
        debugDescription: "this build has no \(collection) called '\(name)'; run the same program")
    }
    self = contestant
  }

  /// Encodes the collection and the name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(collection.rawValue, forKey: .collection)
    try container.encode(name, forKey: .name)
  }
}

extension Contestant {
  /// Returns the factory of the subjects for trials of `workload`.
  func subjectFactory(for workload: Workload) async throws -> SubjectFactory {
    switch (collection, design) {
    case (_, .custom(let design)): design.makeSubject
    case (.weakArray, _): try await WeakArraySubject.factory(for: self)
    case (.weakSet, _): try await WeakSetSubject.factory(for: self)
    case (.dictionary, .foreign): { ForeignMapSubject($0) }
    case (.dictionary, .unshared): { UnsharedSubject($0) }
    case (.dictionary, .slowed): { DictionarySubject<IntegerEntries>(slowed: $0) }
    case (.dictionary, _):
      switch workload.entryTypes {
      case .integerToInteger: try await IntegerEntries.subjectFactory(for: self)
      case .stringToInteger: try await StringEntries.subjectFactory(for: self)
      case .integerToObject: try await ObjectEntries.subjectFactory(for: self)
      case .stringToObject: try await StringObjectEntries.subjectFactory(for: self)
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
      fatalError("'\(name)' is not a weak array of this package; use its own subject")
    case .lockAroundValue: try await visitor.visit(NSLockWeakArray<Member>.self)
    case .published: try await visitor.visit(PublishedWeakArrayAdapter.self)
    }
  }

  /// Runs `visitor` on the contestant's dictionary, as a concrete type.
  package func withDictionary<V: DictionaryVisitor>(_ visitor: V) async throws -> V.Output {
    switch design {
    case .backend(let backend): try await backend.withDictionary(visitor)
    case .emptyLoop: try await visitor.visit(EmptyDictionary<V.Key, V.Value>.self)
    case .custom, .foreign, .slowed:
      fatalError("'\(name)' is not a dictionary of this package; use its own subject")
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
      fatalError("'\(name)' has no weak set; choose from Contestant.all(for: .weakSet)")
    }
  }
}
