import WeakCollections

/// The names in the JSON of a calibration.
struct CalibrationFile: Codable {
  /// Rises when the meaning of a name changes.
  static let schema = 1

  struct Schema: Decodable {
    let schema: Int
  }

  /// What was measured in one place.
  struct Place: Codable {
    let compiler: String
    let mutexFlavor: String
    let architecture: String
    let cores: Int
    let costs: [Cost]
  }

  struct Cost: Codable {
    let point: GridPoint
    let backend: Backend
    let trials: Int
    let nanosecondsPerOperation: CostRange
    let p99Nanoseconds: CostRange?
    let bytesPerEntry: CostRange?
  }

  let schema: Int
  let places: [Place]

  init(_ calibration: Calibration) {
    schema = Self.schema
    places = calibration.keys.map { key in
      Place(
        compiler: key.compiler, mutexFlavor: key.mutexFlavor, architecture: key.architecture,
        cores: key.cores, costs: calibration.costs(for: key).map(Cost.init))
    }
  }

  /// What it says, checked: nothing that would trap later, and nothing twice.
  func costs() throws(CalibrationError) -> [CalibrationKey: [MeasuredCost]] {
    var result: [CalibrationKey: [MeasuredCost]] = [:]
    for place in places {
      let key = CalibrationKey(
        compiler: place.compiler, mutexFlavor: place.mutexFlavor,
        architecture: place.architecture, cores: place.cores)
      var seen: Set<[String]> = []
      var costs: [MeasuredCost] = []
      for cost in place.costs {
        guard cost.isValid else {
          throw .malformed("expected positive numbers in order, of \(cost.name)")
        }
        guard seen.insert([cost.point.collection.rawValue, cost.name]).inserted else {
          throw .malformed("expected \(cost.name) once")
        }
        costs.append(cost.measured)
      }
      guard result.updateValue(costs, forKey: key) == nil else {
        throw .malformed("expected \(key) once")
      }
    }
    return result
  }

  /// What is wrong with a file that the decoder refuses, on one line.
  static func reason(for error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    let context =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .keyNotFound(_, let context), .dataCorrupted(let context):
        context
      @unknown default: DecodingError.Context(codingPath: [], debugDescription: "\(error)")
      }
    let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
    let place = path.isEmpty ? "" : path.joined(separator: ".") + ": "
    return place
      + context.debugDescription.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}

extension CalibrationFile.Cost {
  fileprivate init(_ cost: MeasuredCost) {
    self.init(
      point: cost.point, backend: cost.backend, trials: cost.trials,
      nanosecondsPerOperation: cost.nanosecondsPerOperation, p99Nanoseconds: cost.p99Nanoseconds,
      bytesPerEntry: cost.bytesPerEntry)
  }

  fileprivate var measured: MeasuredCost {
    MeasuredCost(
      point: point, backend: backend, trials: trials,
      nanosecondsPerOperation: nanosecondsPerOperation, p99Nanoseconds: p99Nanoseconds,
      bytesPerEntry: bytesPerEntry)
  }

  fileprivate var name: String { "\(backend.rawValue) at \(point) of \(point.shares.all)" }

  fileprivate var isValid: Bool {
    let ranges = [nanosecondsPerOperation, p99Nanoseconds, bytesPerEntry].compactMap(\.self)
    return point.threads > 0 && point.size > 0 && trials > 0
      && point.shares.all.allSatisfy { (0...100).contains($0) }
      && ranges.allSatisfy { $0.low > 0 && $0.low <= $0.median && $0.median <= $0.high }
  }
}
