import WeakCollections

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
