// The heart of the weak sets and maps: entries packed in an array, a `HashIndex` over it, and a sweep that
// lets no dead entry stay. An entry that is removed has its place taken by the last one.
//
// The sweep goes downwards through the array, `sweepLength` entries for each write, and begins again at
// the end. So whatever takes a removed entry's place came from above it: either both places were above
// the cursor, and what moved was looked at in this pass or came during it; or the place is below the
// cursor, and what moved is looked at (again). Nothing that was there when a pass began escapes it.
//
// Invariants:
//  1. The index holds each position once, with the hash of the entry there.
//  2. Entries that this pass has still to look at are below the cursor.
//  3. At most 2 × live + 64 entries, with live counted at the last purge.
//
// Who wants but some dead ones gone seeks them upwards from where the last such search has stopped, with a
// cursor of its own, and before that among the newest. What leaves has its place taken by the newest, which
// lets the oldest come next. So of searches one after the other each pays for the distance to the next
// dead entry alone: a step or two where objects die in the order of their birth or against it, n / (dead
// + 1) on average where they die in any order, and n for one search only if that looks at each entry.
//
// Maximum life of a dead entry. It dies during one pass and is found by the next at the latest. With n the
// greatest number of entries meanwhile, a pass is n / 2 writes; so it leaves within n + 1 writes.

import Primitives
import WeakReferences

/// Entries found by hash, of which the dead leave by themselves.
struct SweptTable<Entry: SweptEntry> {
  private var entries: [Entry] = []
  private var index = HashIndex()
  private var cursor = 0
  /// Where the next search for some dead entries begins.
  private var seeker = 0
  /// Reaching it makes the next insertion purge first.
  private(set) var entryLimit = Self.slack

  private static var slack: Int { 64 }
  private static var sweepLength: Int { 2 }
  private static var newestCount: Int { 4 }

  /// The number of entries, unnoticed dead ones included.
  var count: Int { entries.count }

  subscript(position: Int) -> Entry {
    get { entries[position] }
    _modify { yield &entries[position] }
  }

  /// Where the first entry of `hash` is that `isMatch` accepts.
  func firstPosition(
    of hash: UInt32, where isMatch: (UnsafePointer<Entry>) -> Bool
  ) -> Int? {
    entries.withUnsafeBufferPointer { entries in
      index.firstPosition(of: hash) { isMatch(entries.baseAddress! + $0) }
    }
  }

  func withEntry<R>(at position: Int, _ body: (UnsafePointer<Entry>) -> R) -> R {
    entries.withUnsafeBufferPointer { body($0.baseAddress! + position) }
  }

  /// Calls `body` with each entry, the dead ones too.
  func forEachEntry(_ body: (UnsafePointer<Entry>) -> Void) {
    entries.withUnsafeBufferPointer { entries in
      for position in entries.indices { body(entries.baseAddress! + position) }
    }
  }

  /// Adds an entry, which is not there.
  mutating func insert(_ entry: Entry, discards: inout Discards<Entry>) {
    if entries.count >= entryLimit { purge(discards: &discards) }
    index.insert(entries.count, hash: entry.hash)
    entries.append(entry)
    checkInvariants()
  }

  /// Removes the entry at `position`, whose place the last one takes.
  mutating func remove(at position: Int) -> Entry {
    let last = entries.count - 1
    index.remove(position, hash: entries[position].hash)
    if position != last {
      index.move(last, to: position, hash: entries[last].hash)
      entries.swapAt(position, last)
    }
    return entries.removeLast()
  }

  /// Looks at the next few entries and removes the dead; to be called once for each write.
  mutating func sweep(discards: inout Discards<Entry>) {
    for _ in 0..<min(Self.sweepLength, entries.count) {
      cursor = min(cursor, entries.count)  // Others may have removed entries.
      if cursor == 0 { cursor = entries.count }
      cursor -= 1
      if isDead(at: cursor, discards: &discards) { discards.removed.append(remove(at: cursor)) }
    }
  }

  /// Removes every dead entry; returns how many.
  @discardableResult
  mutating func purge(discards: inout Discards<Entry>) -> Int {
    let oldCount = entries.count
    for position in entries.indices.reversed() where isDead(at: position, discards: &discards) {
      discards.removed.append(remove(at: position))
    }
    cursor = 0
    entryLimit = 2 * entries.count + Self.slack
    if entries.isEmpty || entries.capacity > 2 * entryLimit { shrink() }
    checkInvariants()
    return oldCount - entries.count
  }

  /// Removes dead entries until `goal` are removed, or none is left; returns how many.
  mutating func removeDead(_ goal: Int, discards: inout Discards<Entry>) -> Int {
    let wanted = entries.count - min(max(0, goal), entries.count)
    let oldCount = entries.count
    var newest = entries.count
    while newest > max(0, oldCount - Self.newestCount), entries.count > wanted {
      newest -= 1
      if isDead(at: newest, discards: &discards) { discards.removed.append(remove(at: newest)) }
    }
    let start = min(seeker, entries.count)
    seekDead(in: start..<entries.count, until: wanted, discards: &discards)
    // What takes a place there was looked at, and is again: no more often than there are dead.
    if entries.count > wanted { seekDead(in: 0..<start, until: wanted, discards: &discards) }
    checkInvariants()
    return oldCount - entries.count
  }

  private mutating func seekDead(
    in positions: Range<Int>, until wanted: Int, discards: inout Discards<Entry>
  ) {
    seeker = positions.lowerBound
    while entries.count > wanted, seeker < min(positions.upperBound, entries.count) {
      if isDead(at: seeker, discards: &discards) {
        discards.removed.append(remove(at: seeker))
      } else {
        seeker += 1
      }
    }
  }

  /// How many entries' objects live, without promoting them where weak slots allow.
  func liveCount(discards: inout Discards<Entry>) -> Int {
    entries.indices.count { !isDead(at: $0, discards: &discards) }
  }

  /// Gives back memory that many more entries had.
  private mutating func shrink() {
    entries = entries.map { $0 }
    index = HashIndex(hashes: entries.lazy.map(\.hash))
  }

  /// Whether the `deinit` of the object of the entry at `position` has begun.
  func isDead(at position: Int, discards: inout Discards<Entry>) -> Bool {
    withEntry(at: position) {
      WeakReference.isDead(at: Entry.reference(at: $0), promoted: &discards.promoted)
    }
  }

  private func checkInvariants() {
    #if InternalChecks
      precondition(
        count <= entryLimit, "stored entries are at most twice the live ones and 64 more")
      for position in entries.indices {
        precondition(
          index.firstPosition(of: entries[position].hash) { $0 == position } == position,
          "an entry is found by its hash")
      }
    #endif
  }
}

extension SweptTable: Sendable where Entry: Sendable {}

/// What is stored in a `SweptTable`: something that refers weakly to one object.
protocol SweptEntry {
  associatedtype Object

  /// Equal for entries that may be the same.
  var hash: UInt32 { get }

  static func reference(
    at entry: UnsafePointer<Self>
  ) -> UnsafePointer<WeakReference<Object>>
}

extension SweptEntry {
  /// The object that the entry refers to, kept alive by the result; nil once its `deinit` has begun.
  static func promote(at entry: UnsafePointer<Self>) -> Object? {
    WeakReference<Object>.promote(at: reference(at: entry))
  }
}

/// What an operation must not let go of inside an exclusion: its caller does, outside.
struct Discards<Entry: SweptEntry> {
  /// Objects that were promoted; ours may be the last reference by now.
  var promoted = PromotedObjects()
  /// Entries of dead objects, with what they own.
  var removed: [Entry] = []
}
