import SeededRandom

/// A named way to use a collection: which operations, in which shares, on how many entries.
///
/// Workloads of several abstract types may share a name. `Workload.all(for:)` returns the named
/// ones.
public struct Workload: Codable, Hashable, Sendable {
  /// The name of every workload that is only a mix from the command line.
  public static let customName = "custom"

  /// The name in kebab-case, as on the command line and in CSV.
  public let name: String
  /// The abstract type of the collection.
  public let subject: WorkloadSubject
  /// The shares of the operations.
  public let mix: OperationMix
  /// The workers' behavior beyond drawing operations from the mix.
  package let behavior: Behavior
  /// How a dictionary's keys are drawn; arrays and sets draw their objects uniformly.
  public private(set) var keyDistribution: KeyDistribution
  /// The percentage of a weak array's entries that are dead when the clock starts.
  public let deadShare: Int
  /// The types of a dictionary's keys and values.
  public private(set) var entryTypes = EntryTypes.integerToInteger
  /// One sentence for `weakbench list`.
  public let summary: String
  /// The groups of workers with different tasks; empty if all workers have the same task.
  public let roles: [Role]

  init(
    _ name: String, subject: WorkloadSubject, mix: OperationMix, behavior: Behavior = .steady,
    keys: KeyDistribution = .uniform, deadShare: Int = 0, summary: String, roles: [Role] = []
  ) {
    self.name = name
    self.subject = subject
    self.mix = mix
    self.behavior = behavior
    keyDistribution = keys
    self.deadShare = deadShare
    self.summary = summary
    self.roles = roles
  }

  /// Returns a steady workload with the name `custom` that draws its operations from `mix`.
  public static func custom(_ mix: OperationMix, for subject: WorkloadSubject) -> Workload {
    Workload(
      customName, subject: subject, mix: mix, summary: "The given shares: \(mix).")
  }

  /// Returns the same workload with another distribution of keys.
  ///
  /// Traps if the workload is not for dictionaries.
  public func drawing(_ keys: KeyDistribution) -> Workload {
    guard subject == .dictionary else {
      fatalError(
        "the workload '\(name)' for \(subject.rawValue) has no keys to draw; "
          + "use a workload for dictionaries")
    }
    var workload = self
    workload.keyDistribution = keys
    return workload
  }

  /// Returns the same workload on a dictionary with other types of keys and values.
  ///
  /// Traps if the workload is not for dictionaries.
  public func on(_ types: EntryTypes) -> Workload {
    guard subject == .dictionary else {
      fatalError(
        "the workload '\(name)' for \(subject.rawValue) has no keys and values; "
          + "use a workload for dictionaries")
    }
    var workload = self
    workload.entryTypes = types
    return workload
  }

  /// Whether every worker only draws operations from the mix, and all entries are live.
  package var isPureMix: Bool { behavior == .steady && deadShare == 0 && roles.isEmpty }

  /// Returns the call that a worker of this workload makes for `operation`, for tables.
  package func meaning(of operation: OperationKind) -> String {
    behavior.meaning(of: operation, for: subject) ?? operation.meaning(for: subject)
  }
}

extension Workload {
  /// The behavior of a worker beyond drawing operations from the mix.
  package enum Behavior: String, CaseIterable, Codable, Sendable {
    /// No special behavior; the number of entries stays about the same.
    case steady
    /// The collection starts empty, nearly every inserted key is new, and a worker empties the
    /// collection when it has grown to `entryLimit(forEntries:)`.
    case growing
    /// An insert appends a new object; the worker then releases its oldest object beyond its share
    /// of the entries, so that objects die while others append.
    case churning
    /// An iteration is a `forEach` that calls a method of every element.
    case notifying
    /// An insert is `value(forKey:orInsert:)`.
    case gettingOrInserting
    /// Every key is present: an insert replaces a value.
    case replacing
    /// About half of the keys are present: every second insert of a worker is a removal instead.
    case turningOver
    /// An operation makes the calls of a leak monitor for one object; see `meaning(of:)`.
    case monitoring
    /// An insert sets the key after the newest and removes the oldest, as `SlidingWindow` defines
    /// them. An iteration gets many keys in one call.
    case sliding
    /// As `churning`, but a worker releases all its objects together, when it has its share of the
    /// entries.
    case storming
    /// An insert removes the worker's oldest object and appends it again.
    case reregistering
    /// An insert appends a new object; an iteration is a `forEach` whose body releases the worker's
    /// oldest object.
    case dying
  }
}

extension Workload.Behavior {
  /// Returns the call that a worker makes for `operation`, or `nil` if it is the usual one.
  func meaning(of operation: OperationKind, for subject: WorkloadSubject) -> String? {
    switch (self, operation, subject) {
    case (.growing, .insert, .dictionary):
      "sets the value of a drawn key, nearly always a new one"
    case (.churning, .insert, .weakArray):
      "`append` of a new object, then releases this worker's oldest"
    case (.churning, .insert, .weakSet):
      "`insert` of a new object, then releases this worker's oldest"
    case (.notifying, .iterate, .weakArray):
      "`forEach`, calling a method of every element"
    case (.gettingOrInserting, .insert, .dictionary):
      "`value(forKey:orInsert:)` of a drawn key"
    case (.replacing, .insert, .dictionary):
      "replaces the value of a drawn key"
    case (.turningOver, .insert, .dictionary):
      "sets the value of a drawn key, or removes it every second time"
    case (.monitoring, .insert, .weakSet):
      "`insert` of a new object in one of sixteen sets, then releases this worker's oldest"
    case (.monitoring, .insert, .weakArray):
      "`append` of a new object, then `count`, then releases this worker's oldest"
    case (.monitoring, .update, .dictionary):
      "`value(forKey:orInsert:)` of a drawn key, then `update`, adding one and returning the count"
    case (.sliding, .insert, .dictionary): "sets a new key, then removes the oldest"
    case (.sliding, .iterate, .dictionary):
      "`values(forKeys:)` of \(Workload.keysOfScan) keys from a drawn key on"
    case (.storming, .insert, .weakArray):
      "`append` of a new object; releases all of this worker's when it has its share of them"
    case (.reregistering, .insert, .weakArray):
      "`remove`, then `append`, of the object that this worker appended longest ago"
    case (.dying, .insert, .weakArray):
      "`append` of a new object, then releases this worker's oldest beyond its share"
    case (.dying, .iterate, .weakArray):
      "`forEach`, calling a method of every element, while the worker's oldest dies"
    default: nil
    }
  }
}

extension Workload {
  /// Returns the number of distinct keys or objects to draw from.
  ///
  /// - Only reading, replacing, or getting or inserting: `entries`, so that every lookup succeeds.
  /// - Turning over: `entries`, half of which are present.
  /// - Monitoring: one for each monitored type, few and hot.
  /// - Growing: so many that even at the limit only one dictionary key in four is present.
  /// - Sliding: twice `entries`, half of which are present.
  /// - With dead entries: the number of live entries.
  /// - Otherwise twice `entries`: about half are present, and inserts and removals both find work.
  ///
  /// - Parameter entries: The number of entries; traps unless it is positive.
  package func keyRange(forEntries entries: Int) -> Int {
    guard entries > 0 else { fatalError("entries must be positive, got \(entries)") }
    switch (behavior, subject) {
    case (.monitoring, .dictionary): return min(entries, Self.hotKeys)
    case (.growing, .dictionary): return 4 * Self.growth * entries
    case (.gettingOrInserting, _), (.replacing, _), (.turningOver, _): return entries
    case (.reregistering, _): return entries
    default: return mix.insert + mix.remove == 0 ? live(ofEntries: entries) : 2 * entries
    }
  }

  /// Returns the number of entries that the collection holds before the clock starts.
  package func prefill(forEntries entries: Int) -> Int {
    switch behavior {
    case .growing: 0
    case .turningOver: (entries + 1) / 2
    case .monitoring where subject == .dictionary: 0
    default: entries - entriesOfDroppers(forEntries: entries)
    }
  }

  /// Returns how many entries are live when the clock starts; at least one, unless `entries` is 0.
  package func live(ofEntries entries: Int) -> Int {
    max(min(1, entries), entries - Int(Double(entries) * Double(deadShare) / 100))
  }

  /// The number of collections that share the entries equally: a leak monitor has one per class.
  package var collectionCount: Int {
    behavior == .monitoring && subject == .weakSet ? Self.hotKeys : 1
  }

  /// Returns the number of inserts after which a worker empties the collection, or `nil` if the
  /// collection does not grow.
  ///
  /// The limit bounds the memory of a trial of any length. Each worker counts its own inserts since
  /// it last emptied the collection, so no counter is shared. The collection holds at most this
  /// many entries per worker.
  package func entryLimit(forEntries entries: Int) -> Int? {
    if behavior == .growing { return Self.growth * entries }
    // No role grows by itself.
    if !roles.isEmpty { return nil }
    switch (subject, behavior) {
    // The number of entries is at most the number of keys, or of live and some dead objects.
    case (.dictionary, _), (.weakSet, _): return nil
    // Objects die, and the array removes their entries.
    case (.weakArray, .churning), (.weakArray, .monitoring), (.weakArray, .storming),
      (.weakArray, .dying):
      return nil
    // Each appended object was removed just before.
    case (.weakArray, .reregistering): return nil
    case (.weakArray, _): return mix.insert > mix.remove ? Self.steadyGrowth * entries : nil
    }
  }

  private static var growth: Int { 16 }
  private static var steadyGrowth: Int { 4 }
  private static var hotKeys: Int { 16 }
}

/// The abstract type that a workload exercises; its raw value is its name on the command line and
/// in CSV.
public enum WorkloadSubject: String, CaseIterable, Codable, Sendable {
  /// An array of weak references.
  case weakArray = "weak-array"
  /// A dictionary with strong keys and values.
  case dictionary
  /// A set of weak references.
  case weakSet = "weak-set"
}

/// The types of the keys and values of a dictionary.
///
/// Only three pairs exist, because each is compiled for every backend.
public enum EntryTypes: CaseIterable, Codable, Hashable, Sendable {
  /// Integers as keys and values.
  case integerToInteger
  /// Strings of 23 bytes as keys, as in YCSB: a Swift string of this length needs heap memory.
  case stringToInteger
  /// Instances of a class as values, which readers retain.
  case integerToObject
  /// Strings as keys and instances of a class as values, as in the cache of a server.
  case stringToObject

  /// The type of a key; its raw value is its name on the command line and in CSV.
  public enum Key: String, CaseIterable, Sendable {
    /// An integer.
    case int
    /// A string.
    case string
  }

  /// The type of a value; its raw value is its name on the command line and in CSV.
  public enum Value: String, CaseIterable, Sendable {
    /// An integer.
    case int
    /// An instance of a class.
    case object
  }

  /// Creates the pair of `key` and `value`.
  public init(key: Key, value: Value) {
    switch (key, value) {
    case (.int, .int): self = .integerToInteger
    case (.string, .int): self = .stringToInteger
    case (.int, .object): self = .integerToObject
    case (.string, .object): self = .stringToObject
    }
  }

  /// The type of the keys.
  public var key: Key {
    switch self {
    case .integerToInteger, .integerToObject: .int
    case .stringToInteger, .stringToObject: .string
    }
  }

  /// The type of the values.
  public var value: Value {
    switch self {
    case .integerToInteger, .stringToInteger: .int
    case .integerToObject, .stringToObject: .object
    }
  }
}

/// The seed that makes a trial repeatable.
///
/// It is a whole number below 2⁵³, so that a spreadsheet keeps every digit. Each run has one seed,
/// given or drawn; all others are derived from it. Every derivation has a purpose and an index.
/// Different purposes or indices give unrelated seeds.
///
///     let keys = seed.derived(for: .trial, index: 3).derived(for: .keys)
public struct Seed: Codable, Hashable, Sendable {
  /// The bound below which every seed lies: 2⁵³.
  public static let upperBound: UInt64 = 1 << 53

  /// The number.
  public let value: UInt64

  /// Creates a seed, or returns `nil` if `value` is 2⁵³ or more.
  public init?(_ value: UInt64) {
    guard value < Self.upperBound else { return nil }
    self.value = value
  }

  /// Creates a seed from a decimal number.
  ///
  /// - Throws: `WorkloadError.malformedSeed` if `text` is not a whole number below 2⁵³.
  public init(parsing text: String) throws(WorkloadError) {
    guard let value = UInt64(text), let seed = Seed(value) else { throw .malformedSeed(text) }
    self = seed
  }

  private init(lowering bits: UInt64) {
    value = bits >> 11
  }

  /// Returns a seed drawn from `generator`.
  public static func random(using generator: inout some RandomNumberGenerator) -> Seed {
    Seed(lowering: generator.next())
  }

  /// The purpose of a derived seed.
  ///
  /// The raw values never change: a seed in an old row has to give the same operations again.
  public enum Purpose: UInt64, CaseIterable, Sendable {
    /// One trial of a run.
    case trial = 1
    /// One worker of a trial.
    case worker = 2
    /// The operation schedule of a worker.
    case schedule = 3
    /// The keys or objects that a worker draws.
    case keys = 4
    /// The order in which a run measures its trials.
    case order = 5
    /// The arrival times of an open loop.
    case arrivals = 16
  }

  /// Returns the seed for `purpose`, derived from this one.
  ///
  /// Chain derivations from the outside in: first the trial, then the worker, then its schedule or
  /// its keys.
  ///
  /// - Parameters:
  ///   - purpose: The purpose of the new seed.
  ///   - index: The number of the trial or worker; traps if it is negative.
  public func derived(for purpose: Purpose, index: Int = 0) -> Seed {
    guard index >= 0 else { fatalError("index must not be negative, got \(index)") }
    var generator = SplitMix64(seed: value)
    generator = SplitMix64(seed: generator.next() ^ purpose.rawValue)
    generator = SplitMix64(seed: generator.next() ^ UInt64(index))
    return Seed(lowering: generator.next())
  }
}

extension Seed: CustomStringConvertible {
  /// The number in decimal; `init(parsing:)` restores the same seed.
  public var description: String { "\(value)" }
}

extension SplitMix64 {
  /// Creates a generator that starts at `seed`.
  public init(seed: Seed) {
    self.init(seed: seed.value)
  }
}
