import WeakCollections

extension CalibrationSource {
  /// The samples of a table.
  static func samples(in table: String) throws(Malformed) -> [CostSample] {
    var samples: [CostSample] = []
    var backends: [Backend] = []
    var key: CalibrationKey?
    var workload: Workload?
    for line in table.split(separator: "\n") {
      let fields = line.split(separator: " ").map(String.init)
      switch fields.first {
      case "backends":
        backends = fields.dropFirst().compactMap(Backend.init(rawValue:))
        guard backends.count == fields.count - 1 else { throw Malformed(line: String(line)) }
      case "host":
        key = try Self.key(in: fields, line)
      case "workload":
        workload = try Workload(fields, line)
      default:
        guard let key, let workload else { throw Malformed(line: String(line)) }
        let point = try Self.point(in: fields, line, workload)
        guard fields.count == 2 + backends.count else { throw Malformed(line: String(line)) }
        for (backend, field) in zip(backends, fields.dropFirst(2)) where field != "-" {
          guard let cost = Double(field) else { throw Malformed(line: String(line)) }
          samples.append(
            CostSample(key: key, point: point, backend: backend, nanosecondsPerOperation: cost))
        }
      }
    }
    return samples
  }

  private static func key(
    in fields: [String], _ line: Substring
  ) throws(Malformed) -> CalibrationKey {
    guard fields.count == 5, let cores = Int(fields[4]) else { throw Malformed(line: String(line)) }
    return CalibrationKey(
      compiler: fields[1], mutexFlavor: fields[2], architecture: fields[3], cores: cores)
  }

  private static func point(
    in fields: [String], _ line: Substring, _ workload: Workload
  ) throws(Malformed) -> GridPoint {
    guard fields.count > 2, let threads = Int(fields[0]), let size = Int(fields[1])
    else { throw Malformed(line: String(line)) }
    return GridPoint(
      collection: workload.collection, workload: workload.name, shares: workload.shares,
      threads: threads, size: size)
  }

  /// What a line beginning with "workload" says.
  private struct Workload {
    let collection: CollectionKind
    let name: String
    let shares: OperationShares

    init(_ fields: [String], _ line: Substring) throws(Malformed) {
      let numbers = fields.dropFirst(3).compactMap(Double.init)
      guard fields.count == 8, numbers.count == 5,
        let collection = CollectionKind(rawValue: fields[1])
      else { throw Malformed(line: String(line)) }
      self.collection = collection
      name = fields[2]
      shares = OperationShares(
        read: numbers[0], insert: numbers[1], update: numbers[2], remove: numbers[3],
        iterate: numbers[4])
    }
  }
}
