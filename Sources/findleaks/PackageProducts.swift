/// What `swift package describe` says of the products of a package.
struct PackageProducts: Decodable {
  struct Product: Decodable {
    let name: String
    let type: Kind
  }

  struct Kind: Decodable {
    let isExecutable: Bool

    init(from decoder: any Decoder) throws {
      // The name of the kind, with null for executables.
      isExecutable = try decoder.container(keyedBy: Keys.self).contains(.executable)
    }

    private enum Keys: CodingKey {
      case executable
    }
  }

  let products: [Product]
}
