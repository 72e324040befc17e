/// A named way to use a collection: which operations, in which shares, on how many entries.
///
/// Workloads of several abstract types may share a name. `Workload.all(for:)` returns the named ones.
public struct Workload: Codable, Hashable, Sendable {
  /// The name of every workload that is only a mix from the command line.
  public static let customName = "custom"

  /// In kebab-case, as on the command line and in CSV.
  public let name: String
  public let subject: WorkloadSubject
  public let mix: OperationMix
  public let behaviour: Behaviour
  /// How a dictionary's keys are drawn; arrays and sets draw their objects uniformly.
  public private(set) var keyDistribution: KeyDistribution
  /// The percentage of a weak array's entries that are dead when the clock starts.
  public let deadShare: Int
  /// The types of a dictionary's keys and values.
  public private(set) var entries = EntryTypes.integerToInteger
  /// One sentence for `list` and the README.
  public let summary: String
  /// The groups that the workers are divided into; empty where all do the same.
  public let roles: [Role]

  init(
    _ name: String, subject: WorkloadSubject, mix: OperationMix, behaviour: Behaviour = .steady,
    keys: KeyDistribution = .uniform, deadShare: Int = 0, summary: String, roles: [Role] = []
  ) {
    self.name = name
    self.subject = subject
    self.mix = mix
    self.behaviour = behaviour
    keyDistribution = keys
    self.deadShare = deadShare
    self.summary = summary
    self.roles = roles
  }

  /// A steady workload that is nothing but `mix`, under the name `custom`.
  public static func custom(_ mix: OperationMix, for subject: WorkloadSubject) -> Workload {
    Workload(
      customName, subject: subject, mix: mix, summary: "The given shares: \(mix).")
  }

  /// The same workload with another distribution of keys.
  ///
  /// - Precondition: it is a dictionary's.
  public func drawing(_ keys: KeyDistribution) -> Workload {
    precondition(subject == .dictionary, "a dictionary alone has keys to draw")
    var workload = self
    workload.keyDistribution = keys
    return workload
  }

  /// The same workload on a dictionary of other keys and values.
  ///
  /// - Precondition: it is a dictionary's.
  public func on(_ entries: EntryTypes) -> Workload {
    precondition(subject == .dictionary, "a dictionary alone has keys and values")
    var workload = self
    workload.entries = entries
    return workload
  }

  /// Whether all workers only draw operations from the mix, on live entries.
  public var isPureMix: Bool { behaviour == .steady && deadShare == 0 && roles.isEmpty }

  /// What a worker calls for `operation` in this workload.
  public func meaning(of operation: OperationKind) -> String {
    behaviour.meaning(of: operation, for: subject) ?? operation.meaning(for: subject)
  }
}

extension Workload {
  /// What a worker does beyond drawing operations from the mix.
  public enum Behaviour: String, CaseIterable, Codable, Sendable {
    /// Nothing; the entries stay about as many as they were at the start.
    case steady
    /// The collection starts empty, nearly every inserted key is new, and it is emptied each time
    /// it has grown to `entryLimit(forSize:)`.
    case growing
    /// An insert appends a new object, and its worker then lets go of its oldest one beyond its
    /// part of the size, so that objects die while others append.
    case churning
    /// An iteration is a `forEach` that calls a method of every element.
    case notifying
    /// An insert is `value(forKey:orInsert:)`.
    case gettingOrInserting
    /// Every key is there: an insert sets the value of a key that has one.
    case replacing
    /// About half of the keys are there: of a worker's inserts every other is a removal.
    case turningOver
    /// An operation is what a leak monitor does for one object; see `meaning(of:)`.
    case monitoring
    /// An insert sets the key after the newest and removes the oldest; `SlidingWindow` says which.
    /// An iteration gets many keys at once.
    case sliding
    /// As churning, but a worker lets go of nothing until it has its part of the size, and then of all.
    case storming
    /// An insert removes the worker's oldest object and appends it again.
    case reregistering
    /// An insert appends a new object; an iteration is a `forEach` whose body lets go of the worker's
    /// oldest.
    case dying
  }
}

extension Workload.Behaviour {
  /// What a worker calls for `operation`, where that is not the operation's usual meaning.
  func meaning(of operation: OperationKind, for subject: WorkloadSubject) -> String? {
    switch (self, operation, subject) {
    case (.growing, .insert, .dictionary):
      "sets the value of a drawn key, nearly always a new one"
    case (.churning, .insert, .weakArray):
      "`append` of a new object, then lets go of this worker's oldest"
    case (.churning, .insert, .weakSet):
      "`insert` of a new object, then lets go of this worker's oldest"
    case (.notifying, .iterate, .weakArray):
      "`forEach`, calling a method of every element"
    case (.gettingOrInserting, .insert, .dictionary):
      "`value(forKey:orInsert:)` of a drawn key"
    case (.replacing, .insert, .dictionary):
      "sets the value of a drawn key, which has one"
    case (.turningOver, .insert, .dictionary):
      "sets the value of a drawn key or, every other time, removes it"
    case (.monitoring, .insert, .weakSet):
      "`insert` of a new object in one of sixteen sets, then lets go of this worker's oldest"
    case (.monitoring, .insert, .weakArray):
      "`append` of a new object, then `count`, then lets go of this worker's oldest"
    case (.monitoring, .update, .dictionary):
      "`value(forKey:orInsert:)` of a drawn key, then `update`, adding one and returning the count"
    case (.sliding, .insert, .dictionary): "sets a new key, then removes the oldest"
    case (.sliding, .iterate, .dictionary):
      "`values(forKeys:)` of \(Workload.keysOfScan) neighbours of a drawn key"
    case (.storming, .insert, .weakArray):
      "`append` of a new object, then, if it has its part of the size, lets go of all of this worker's"
    case (.reregistering, .insert, .weakArray):
      "`remove`, then `append`, of the object that this worker appended longest ago"
    case (.dying, .insert, .weakArray):
      "`append` of a new object, then lets go of this worker's oldest beyond its part of the size"
    case (.dying, .iterate, .weakArray):
      "`forEach`, calling a method of every element, while the worker's oldest dies"
    default: nil
    }
  }
}

extension Workload {
  /// How many keys, or objects to draw, there are when `size` entries were asked for.
  ///
  /// - Only reading, replacing, or only getting or inserting: as many as entries, so that every one is
  ///   found.
  /// - Turning over: as many as were asked for, of which half are there.
  /// - A monitor: one for each type it watches, few and hot.
  /// - Growing: so many that even at the limit only one dictionary key in four is there already.
  /// - Sliding: twice as many, of which half are there.
  /// - With dead entries: as many as are alive.
  /// - Otherwise twice as many: about half are present, and inserts and removals both find work.
  public func keyRange(forSize size: Int) -> Int {
    precondition(size > 0, "a size is positive")
    switch (behaviour, subject) {
    case (.monitoring, .dictionary): return min(size, Self.hotKeys)
    case (.growing, .dictionary): return 4 * Self.growth * size
    case (.gettingOrInserting, _), (.replacing, _), (.turningOver, _): return size
    case (.reregistering, _): return size
    default: return mix.insert + mix.remove == 0 ? live(ofSize: size) : 2 * size
    }
  }

  /// How many entries the collection holds before the clock starts.
  public func prefill(forSize size: Int) -> Int {
    switch behaviour {
    case .growing: 0
    case .turningOver: (size + 1) / 2
    case .monitoring where subject == .dictionary: 0
    default: size - entriesOfDroppers(forSize: size)
    }
  }

  /// How many of `size` entries are alive when the clock starts; of any at least one is.
  public func live(ofSize size: Int) -> Int {
    max(min(1, size), size - Int(Double(size) * Double(deadShare) / 100))
  }

  /// Among how many collections the entries are, each as often: a leak monitor has one for each class.
  public var collectionCount: Int {
    behaviour == .monitoring && subject == .weakSet ? Self.hotKeys : 1
  }

  /// After how many inserts a worker empties the collection, so that a trial of any length stays
  /// within memory; `nil` where the collection cannot outgrow its size.
  ///
  /// Each worker counts its own inserts since it last emptied the collection, which takes no
  /// shared counter. The collection so holds at most this many entries per worker.
  public func entryLimit(forSize size: Int) -> Int? {
    if behaviour == .growing { return Self.growth * size }
    // No role grows by itself.
    if !roles.isEmpty { return nil }
    switch (subject, behaviour) {
    // There are never more entries than keys, or than objects that live and some of the dead.
    case (.dictionary, _), (.weakSet, _): return nil
    // Objects die, and the array drops them.
    case (.weakArray, .churning), (.weakArray, .monitoring), (.weakArray, .storming),
      (.weakArray, .dying):
      return nil
    // What is appended was removed just before.
    case (.weakArray, .reregistering): return nil
    case (.weakArray, _): return mix.insert > mix.remove ? Self.steadyGrowth * size : nil
    }
  }

  private static var growth: Int { 16 }
  private static var steadyGrowth: Int { 4 }
  private static var hotKeys: Int { 16 }
}

/// The abstract type that a workload exercises, by its name on the command line and in CSV.
public enum WorkloadSubject: String, CaseIterable, Codable, Sendable {
  case weakArray = "weak-array"
  case dictionary
  case weakSet = "weak-set"
}

/// The types of the keys and values of a dictionary.
///
/// Only three pairs, because each is compiled for every backend.
public enum EntryTypes: CaseIterable, Codable, Hashable, Sendable {
  case integerToInteger
  /// Strings of 23 bytes, as YCSB's, which a Swift string keeps in memory of its own.
  case stringToInteger
  /// Instances of a class, which readers retain.
  case integerToObject

  public enum Key: String, CaseIterable, Sendable {
    case int, string
  }

  public enum Value: String, CaseIterable, Sendable {
    case int, object
  }

  /// `nil` for pairs that are not compiled.
  public init?(key: Key, value: Value) {
    let pair = Self.allCases.first { $0.key == key && $0.value == value }
    guard let pair else { return nil }
    self = pair
  }

  public var key: Key {
    switch self {
    case .integerToInteger, .integerToObject: .int
    case .stringToInteger: .string
    }
  }

  public var value: Value {
    switch self {
    case .integerToInteger, .stringToInteger: .int
    case .integerToObject: .object
    }
  }
}
