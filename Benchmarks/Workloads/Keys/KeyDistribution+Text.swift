extension KeyDistribution: CustomStringConvertible {
  /// As on the command line and in CSV, with its parameters: `zipfian:0.99`, `hotspot:20/80`.
  ///
  /// Parsing it gives the same distribution.
  public var description: String {
    switch self {
    case .uniform, .singleKey: name
    case .zipfian(let theta), .scrambledZipfian(let theta), .latest(let theta): "\(name):\(theta)"
    case .hotspot(let keys, let operations): "\(name):\(keys)/\(operations)"
    }
  }

  /// The kind alone.
  public var name: String {
    switch self {
    case .uniform: "uniform"
    case .zipfian: "zipfian"
    case .scrambledZipfian: "scrambled-zipfian"
    case .latest: "latest"
    case .hotspot: "hotspot"
    case .singleKey: "single-key"
    }
  }

  /// One sentence for `list`.
  public var summary: String {
    switch self {
    case .uniform: "Every key equally often."
    case .zipfian: "Key k as often as 1 ÷ (k + 1)^θ; θ from 0.01 to 10."
    case .scrambledZipfian: "As YCSB: a zipfian rank among ten billion, hashed to a key."
    case .latest: "Zipfian from the other end: the last key is the hottest."
    case .hotspot: "Of a hundred, so many keys get so many draws."
    case .singleKey: "One key, always."
    }
  }

  /// Reads what `description` writes; parameters that are left out are the standard ones.
  public init(parsing text: String) throws(WorkloadError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let standard = Self.standard.first(where: { $0.name == name }) else {
      throw .unknownKeyDistribution(name)
    }
    self = standard
    guard parts.count == 2 else { return }
    guard let distribution = standard.with(parameters: parts[1]) else {
      throw .malformedKeyDistribution(text)
    }
    self = distribution
  }

  /// `nil` where they are not such as it has.
  private func with(parameters text: Substring) -> KeyDistribution? {
    switch self {
    case .uniform, .singleKey: nil
    case .zipfian: Self.theta(text).map { .zipfian(theta: $0) }
    case .scrambledZipfian: Self.theta(text).map { .scrambledZipfian(theta: $0) }
    case .latest: Self.theta(text).map { .latest(theta: $0) }
    case .hotspot: Self.hotspot(text)
    }
  }

  private static func theta(_ text: Substring) -> Double? {
    // Digits alone: not 1e0, 0x1 or nan.
    guard text.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }), let theta = Double(text),
      (0.01...10).contains(theta)
    else { return nil }
    return theta
  }

  private static func hotspot(_ text: Substring) -> KeyDistribution? {
    let shares = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard shares.count == 2, let keys = shares[0], let operations = shares[1],
      (1...99).contains(keys), (0...100).contains(operations)
    else { return nil }
    return .hotspot(keys: keys, operations: operations)
  }
}
