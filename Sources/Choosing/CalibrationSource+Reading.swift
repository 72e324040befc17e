import WeakCollections

extension CalibrationSource {
  /// The costs of a table, by where they were measured.
  static func costs(
    in table: String
  ) throws(Malformed) -> [CalibrationKey: [MeasuredCost]] {
    var reader = TableReader()
    for line in table.split(separator: "\n") { try reader.read(line) }
    reader.endPoint()
    return reader.costs
  }
}

/// Reads a table line by line.
private struct TableReader {
  private(set) var costs: [CalibrationKey: [MeasuredCost]] = [:]
  private var backends: [Backend] = []
  private var key: CalibrationKey?
  private var workload: GridPoint?
  private var trials = 0
  /// What was read of the point since its line "at".
  private var ranges: [CostObjective: [CostRange?]] = [:]

  mutating func read(_ line: Substring) throws(CalibrationSource.Malformed) {
    let fields = line.split(separator: " ")
    let malformed = CalibrationSource.Malformed(line: String(line))
    switch fields.first {
    case "backends":
      backends = fields.dropFirst().compactMap { Backend(rawValue: String($0)) }
      guard backends.count == fields.count - 1 else { throw malformed }
    case "host":
      endPoint()
      guard fields.count == 5, let cores = Int(fields[4]) else { throw malformed }
      key = CalibrationKey(
        compiler: String(fields[1]), mutexFlavor: String(fields[2]),
        architecture: String(fields[3]), cores: cores)
    case "mix", "workload":
      endPoint()
      workload = Self.workload(fields)
      guard workload != nil else { throw malformed }
    case "at":
      endPoint()
      let numbers = fields.dropFirst().compactMap { Int($0) }
      guard key != nil, workload != nil, fields.count == 4, numbers.count == 3,
        numbers.allSatisfy({ $0 > 0 })
      else { throw malformed }
      (workload!.threads, workload!.size, trials) = (numbers[0], numbers[1], numbers[2])
    default:
      guard trials > 0, fields.count == 1 + backends.count,
        let measure = CalibrationSource.measures.first(where: { $0.name == fields[0] })
      else { throw malformed }
      var costs: [CostRange?] = []
      for field in fields.dropFirst() {
        let range = Self.range(field)
        guard range != nil || field == "-" else { throw malformed }
        costs.append(range)
      }
      ranges[measure.objective] = costs
    }
  }

  /// Keeps what was read of the last point.
  mutating func endPoint() {
    defer { (ranges, trials) = ([:], 0) }
    guard let key, let workload, let nanoseconds = ranges[.throughput] else { return }
    for (index, backend) in backends.enumerated() {
      guard let nanoseconds = nanoseconds[index] else { continue }
      costs[key, default: []].append(
        MeasuredCost(
          point: workload, backend: backend, trials: trials, nanosecondsPerOperation: nanoseconds,
          p99Nanoseconds: ranges[.p99]?[index], bytesPerEntry: ranges[.bytes]?[index]))
    }
  }

  private static func range(_ field: Substring) -> CostRange? {
    let numbers = field.split(separator: ":", omittingEmptySubsequences: false)
      .compactMap { Double($0) }
    guard numbers.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
    switch numbers.count {
    case 1: return field.contains(":") ? nil : CostRange(numbers[0])
    case 3: return CostRange(median: numbers[0], low: numbers[1], high: numbers[2])
    default: return nil
    }
  }

  private static func workload(_ fields: [Substring]) -> GridPoint? {
    let numbers = fields.dropFirst(3).compactMap { Double($0) }
    guard fields.count == 8, numbers.count == 5,
      let collection = CollectionKind(rawValue: String(fields[1]))
    else { return nil }
    return GridPoint(
      collection: collection, workload: String(fields[2]),
      shares: OperationShares(
        read: numbers[0], insert: numbers[1], update: numbers[2], remove: numbers[3],
        iterate: numbers[4]),
      isPureMix: fields[0] == "mix", threads: 1, size: 1)
  }
}
