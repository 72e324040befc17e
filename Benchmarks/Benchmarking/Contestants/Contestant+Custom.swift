import Measurements
import WeakCollections

/// How trials are made of a type that this package does not know.
struct CustomDesign: Sendable {
  private let type: ObjectIdentifier
  /// Made where the type is known, so that what is timed is specialized for it.
  let run: @Sendable (TrialSpecification) async -> Result<TrialResult, TrialFailure>

  init<S: TrialSubject>(_ subject: S.Type) {
    type = ObjectIdentifier(subject)
    run = { specification in
      do throws(TrialFailure) {
        return .success(try await Trial<S>(specification: specification).run())
      } catch {
        return .failure(error)
      }
    }
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
      custom: CustomDesign(DictionarySubject<D, IntegerEntries>.self), name: name,
      typeName: "\(D.self)",
      collection: .dictionary)
  }

  /// A weak array of somebody's own; its name as that of a dictionary.
  public init<A: ConcurrentWeakArray & Sendable>(named name: String, weakArray: A.Type)
  where A.Element == Member {
    self.init(
      custom: CustomDesign(WeakArraySubject<A>.self), name: name, typeName: "\(A.self)",
      collection: .weakArray)
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
