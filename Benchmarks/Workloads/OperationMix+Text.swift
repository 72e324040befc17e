extension OperationMix: CustomStringConvertible {
  /// The shares that are not 0, in the order of `OperationKind`: `read=95,insert=3,remove=2`.
  ///
  /// Parsing it gives the same mix.
  public var description: String {
    OperationKind.allCases.filter { share(of: $0) > 0 }
      .map { "\($0.rawValue)=\(share(of: $0))" }
      .joined(separator: ",")
  }

  /// Reads `read=95,insert=3,remove=2`: any order, each operation at most once, spaces ignored.
  public init(parsing text: String) throws(WorkloadError) {
    guard text.contains(where: { $0 != " " }) else { throw .emptyMix }
    var shares: [OperationKind: Int] = [:]
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let (operation, share) = try Self.share(parsing: part.filter { $0 != " " })
      guard shares.updateValue(share, forKey: operation) == nil else {
        throw .repeatedOperation(operation)
      }
    }
    try self.init(
      read: shares[.read, default: 0], insert: shares[.insert, default: 0],
      update: shares[.update, default: 0], remove: shares[.remove, default: 0],
      iterate: shares[.iterate, default: 0])
  }

  private static func share(parsing part: String) throws(WorkloadError) -> (OperationKind, Int) {
    let sides = part.split(separator: "=", omittingEmptySubsequences: false)
    guard sides.count == 2, !sides[0].isEmpty else { throw .malformedShare(part) }
    guard let operation = OperationKind(rawValue: String(sides[0])) else {
      throw .unknownOperation(String(sides[0]))
    }
    guard let share = Int(sides[1]) else { throw .malformedShare(part) }
    return (operation, share)
  }
}
