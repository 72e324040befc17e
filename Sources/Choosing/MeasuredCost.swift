import WeakCollections

/// The costs of one backend at one point, in every session that measured it.
public struct MeasuredCost: Hashable, Sendable {
  /// The measured point.
  public let point: GridPoint
  /// The measured backend.
  public let backend: Backend
  /// The costs in each session, in order; not empty.
  public let sessions: [SessionCost]
  /// The time of an operation as one thread sees it, in nanoseconds. In a model, this and the other
  /// ranges are over the sessions that measured the most backends of the point.
  public let nanosecondsPerOperation: CostRange
  /// The time within which 99 of 100 operations complete, in nanoseconds; nil if not measured.
  public let p99Nanoseconds: CostRange?
  /// The memory that an entry keeps allocated, in bytes; nil if not measured.
  public let bytesPerEntry: CostRange?

  /// Creates a cost. Traps if no session has a positive time.
  public init(point: GridPoint, backend: Backend, sessions: [SessionCost]) {
    self.init(
      point: point, backend: backend,
      sessions: sessions.sorted { SessionCost.isOrdered($0.session, $1.session) }, over: sessions)
  }

  /// Creates a cost whose ranges are over some of its sessions.
  private init(
    point: GridPoint, backend: Backend, sessions: [SessionCost], over compared: [SessionCost]
  ) {
    guard let nanoseconds = CostRange(of: compared.map(\.nanosecondsPerOperation)) else {
      fatalError("no session of \(backend.rawValue) at \(point) has a positive time")
    }
    self.point = point
    self.backend = backend
    self.sessions = sessions
    nanosecondsPerOperation = nanoseconds
    p99Nanoseconds = CostRange(of: compared.compactMap(\.p99Nanoseconds))
    bytesPerEntry = CostRange(of: compared.compactMap(\.bytesPerEntry))
  }

  /// Returns one cost for each point and backend of `samples`, in order, and none for a point
  /// without a positive time. Several trials of a session count as their median.
  public static func summaries(of samples: [CostSample]) -> [MeasuredCost] {
    struct Cell: Hashable {
      let point: GridPoint
      let backend: Backend
    }
    return Dictionary(grouping: samples) { Cell(point: $0.point, backend: $0.backend) }
      .compactMap { cell, samples in
        let sessions = Dictionary(grouping: samples, by: \.session)
          .compactMap { SessionCost($0.key, medianOf: $0.value) }
        return sessions.isEmpty
          ? nil : MeasuredCost(point: cell.point, backend: cell.backend, sessions: sessions)
      }
      .sorted(by: isOrdered)
  }

  /// Returns the costs of one point with ranges over the sessions that measured the most backends.
  ///
  /// A session may measure only some backends again. If it is slow as a whole, a median over it
  /// would make these look slower than the others.
  static func comparable(_ costs: [MeasuredCost]) -> [MeasuredCost] {
    let sessions = Set(fullSessions(of: costs))
    return costs.map { cost in
      let full = cost.sessions.filter { sessions.contains($0.session) }
      return MeasuredCost(
        point: cost.point, backend: cost.backend, sessions: cost.sessions,
        over: full.isEmpty ? cost.sessions : full)
    }
  }

  /// Returns the sessions of one point that measured the most backends, in order.
  package static func fullSessions(of costs: [MeasuredCost]) -> [String] {
    let counts = backendCounts(of: costs)
    let most = counts.values.max()
    return sessions(of: costs).filter { counts[$0] == most }
  }

  /// Returns the sessions of one point: those that measured the most backends first, then in order.
  static func sessions(of costs: [MeasuredCost]) -> [String] {
    let counts = backendCounts(of: costs)
    return counts.keys.sorted { one, other in
      counts[one] == counts[other]
        ? SessionCost.isOrdered(one, other) : counts[one, default: 0] > counts[other, default: 0]
    }
  }

  private static func backendCounts(of costs: [MeasuredCost]) -> [String: Int] {
    costs.flatMap(\.sessions).reduce(into: [:]) { $0[$1.session, default: 0] += 1 }
  }

  /// Returns the cost in some sessions only; nil if none of these measured it.
  func only(_ names: Set<String>) -> MeasuredCost? {
    let sessions = sessions.filter { names.contains($0.session) }
    return sessions.isEmpty
      ? nil : MeasuredCost(point: point, backend: backend, sessions: sessions)
  }

  /// Returns whether `one` comes before `other`: by point, then by backend.
  static func isOrdered(_ one: MeasuredCost, _ other: MeasuredCost) -> Bool {
    one.point == other.point ? one.backend.lane < other.backend.lane : one.point < other.point
  }

  func cost(of objective: CostObjective) -> CostRange? {
    switch objective {
    case .throughput: nanosecondsPerOperation
    case .p99: p99Nanoseconds
    case .bytes: bytesPerEntry
    }
  }
}

extension MeasuredCost: Codable {
  private enum CodingKeys: String, CodingKey { case point, backend, sessions }

  /// Reads a cost. Throws if no session has a positive time.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let sessions = try values.decode([SessionCost].self, forKey: .sessions)
    guard sessions.contains(where: { $0.nanosecondsPerOperation > 0 }) else {
      throw DecodingError.dataCorruptedError(
        forKey: .sessions, in: values, debugDescription: "expected a session with a positive time")
    }
    self.init(
      point: try values.decode(GridPoint.self, forKey: .point),
      backend: try values.decode(Backend.self, forKey: .backend), sessions: sessions)
  }

  /// Writes the point, the backend and the sessions, from which the ranges follow.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(point, forKey: .point)
    try values.encode(backend, forKey: .backend)
    try values.encode(sessions, forKey: .sessions)
  }
}

/// The costs of a backend at a point in one session: one process that ran at one time.
public struct SessionCost: Hashable, Sendable, Codable {
  /// The name of the session.
  public var session: String
  /// The time of an operation as one thread sees it, in nanoseconds.
  public var nanosecondsPerOperation: Double
  /// The time within which 99 of 100 operations complete, in nanoseconds; nil if not measured.
  public var p99Nanoseconds: Double?
  /// The memory that an entry keeps allocated, in bytes; nil if not measured.
  public var bytesPerEntry: Double?

  /// Creates the costs of a session.
  public init(
    session: String, nanosecondsPerOperation: Double, p99Nanoseconds: Double? = nil,
    bytesPerEntry: Double? = nil
  ) {
    self.session = session
    self.nanosecondsPerOperation = nanosecondsPerOperation
    self.p99Nanoseconds = p99Nanoseconds
    self.bytesPerEntry = bytesPerEntry
  }

  /// Creates the medians of a session's trials; nil if none has a positive time.
  init?(_ session: String, medianOf samples: [CostSample]) {
    func median(_ values: [Double]) -> Double? { CostRange(of: values)?.median }
    guard let nanoseconds = median(samples.map(\.nanosecondsPerOperation)) else { return nil }
    self.init(
      session: session, nanosecondsPerOperation: nanoseconds,
      p99Nanoseconds: median(samples.compactMap(\.p99Nanoseconds)),
      bytesPerEntry: median(samples.compactMap(\.bytesPerEntry)))
  }

  func cost(of objective: CostObjective) -> Double? {
    switch objective {
    case .throughput: nanosecondsPerOperation
    case .p99: p99Nanoseconds
    case .bytes: bytesPerEntry
    }
  }

  /// Returns whether the session `one` comes before `other`: shorter names first, so that numbers
  /// are in order.
  static func isOrdered(_ one: String, _ other: String) -> Bool {
    (one.utf8.count, one) < (other.utf8.count, other)
  }
}

/// A measured point: a workload on a collection, with numbers of threads and entries.
public struct GridPoint: Hashable, Sendable {
  /// The abstract type of the collection.
  public var collection: CollectionKind
  /// The name of the workload, such as "read-heavy".
  public var workload: String
  /// The shares of the operations.
  public var shares: OperationShares
  /// Whether the shares describe the workload completely. Otherwise its costs answer only questions
  /// that name it, because its other actions, such as letting objects die, also cost time.
  public var isPureMix: Bool
  /// The number of threads that use the collection.
  public var threads: Int
  /// The number of entries.
  public var entries: Int

  /// Creates a point.
  public init(
    collection: CollectionKind, workload: String, shares: OperationShares, isPureMix: Bool = true,
    threads: Int, entries: Int
  ) {
    self.collection = collection
    self.workload = workload
    self.shares = shares
    self.isPureMix = isPureMix
    self.threads = threads
    self.entries = entries
  }

  /// Returns whether both are points of one grid of threads and entries.
  func isOfSameWorkload(as other: GridPoint) -> Bool {
    collection == other.collection && workload == other.workload && shares == other.shares
      && isPureMix == other.isPureMix
  }
}

extension GridPoint: Codable {
  private enum CodingKeys: String, CodingKey {
    case collection, workload, shares, isPureMix, threads, entries
  }

  /// The name of the entries in files of earlier versions.
  private enum EarlierKeys: String, CodingKey { case size }

  /// Reads a point, of this version or an earlier one.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let earlier = try decoder.container(keyedBy: EarlierKeys.self)
    self.init(
      collection: try values.decode(CollectionKind.self, forKey: .collection),
      workload: try values.decode(String.self, forKey: .workload),
      shares: try values.decode(OperationShares.self, forKey: .shares),
      isPureMix: try values.decode(Bool.self, forKey: .isPureMix),
      threads: try values.decode(Int.self, forKey: .threads),
      entries: try earlier.decodeIfPresent(Int.self, forKey: .size)
        ?? values.decode(Int.self, forKey: .entries))
  }
}

extension GridPoint: CustomStringConvertible {
  /// A text such as "read-heavy, 4 threads, 1024 entries".
  public var description: String {
    "\(workload), \(threads) \(threads == 1 ? "thread" : "threads"), "
      + "\(entries) \(entries == 1 ? "entry" : "entries")"
  }
}

extension GridPoint: Comparable {
  /// Returns whether `one` comes before `other`: by collection, workload, shares, threads, then
  /// entries.
  public static func < (one: GridPoint, other: GridPoint) -> Bool {
    let names = (one.collection.rawValue, one.workload)
    let otherNames = (other.collection.rawValue, other.workload)
    if names != otherNames { return names < otherNames }
    if one.shares != other.shares {
      return one.shares.all.lexicographicallyPrecedes(other.shares.all)
    }
    if one.isPureMix != other.isPureMix { return one.isPureMix }
    return (one.threads, one.entries) < (other.threads, other.entries)
  }
}

/// A cost by which backends are compared.
public enum CostObjective: String, CaseIterable, Sendable {
  /// The time of an operation as one thread sees it, in nanoseconds.
  case throughput
  /// The time within which 99 of 100 operations complete, in nanoseconds.
  case p99
  /// The memory that an entry keeps allocated, in bytes.
  case bytes
}

/// The median of one cost over sessions, with the least and the greatest session.
public struct CostRange: Hashable, Sendable, Codable {
  /// The median of the sessions.
  public var median: Double
  /// The cost in the session where it is least.
  public var low: Double
  /// The cost in the session where it is greatest.
  public var high: Double

  /// Creates a range.
  public init(median: Double, low: Double, high: Double) {
    self.median = median
    self.low = low
    self.high = high
  }

  /// Creates the range of a cost that is equal in every session.
  public init(_ value: Double) {
    self.init(median: value, low: value, high: value)
  }

  /// Creates the range of the positive, finite values; nil if there are none. A cost of 0 counts as
  /// not measured.
  init?(of values: [Double]) {
    let sorted = values.filter { $0 > 0 && $0.isFinite }.sorted()
    guard let low = sorted.first, let high = sorted.last else { return nil }
    self.init(
      median: (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2, low: low, high: high)
  }
}

/// The costs of a backend in one trial.
public struct CostSample: Hashable, Sendable {
  /// The conditions of the measurement. Its cores are those that the measuring process could use.
  public var key: CalibrationKey
  /// The measured point.
  public var point: GridPoint
  /// The measured backend.
  public var backend: Backend
  /// The name of the session: one process that ran at one time. Its trials count as one.
  public var session: String
  /// The time of an operation as one thread sees it, in nanoseconds: time × threads ÷ operations.
  public var nanosecondsPerOperation: Double
  /// The time within which 99 of 100 operations completed, in nanoseconds; nil if single operations
  /// were not timed.
  public var p99Nanoseconds: Double?
  /// The memory that an entry keeps allocated, in bytes; nil if it was not counted.
  public var bytesPerEntry: Double?

  /// Creates a sample.
  public init(
    key: CalibrationKey, point: GridPoint, backend: Backend, session: String = "1",
    nanosecondsPerOperation: Double, p99Nanoseconds: Double? = nil, bytesPerEntry: Double? = nil
  ) {
    self.key = key
    self.point = point
    self.backend = backend
    self.session = session
    self.nanosecondsPerOperation = nanosecondsPerOperation
    self.p99Nanoseconds = p99Nanoseconds
    self.bytesPerEntry = bytesPerEntry
  }
}

/// The predicted costs of a backend, each with the range over sessions; nil if not measured.
public struct PredictedCost: Hashable, Sendable, Codable {
  /// The backend.
  public var backend: Backend
  /// The time of an operation as one thread sees it, in nanoseconds.
  public var nanosecondsPerOperation: CostRange
  /// The time within which 99 of 100 operations complete, in nanoseconds.
  public var p99Nanoseconds: CostRange?
  /// The memory that an entry keeps allocated, in bytes.
  public var bytesPerEntry: CostRange?

  /// Creates a prediction.
  public init(
    backend: Backend, nanosecondsPerOperation: CostRange, p99Nanoseconds: CostRange? = nil,
    bytesPerEntry: CostRange? = nil
  ) {
    self.backend = backend
    self.nanosecondsPerOperation = nanosecondsPerOperation
    self.p99Nanoseconds = p99Nanoseconds
    self.bytesPerEntry = bytesPerEntry
  }
}
