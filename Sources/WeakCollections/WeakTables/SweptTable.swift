// The implementation of the weak sets and maps: entries in a dense array, a `HashIndex` over them,
// and a sweep that removes all dead entries. The last entry takes the place of a removed one.
//
// The sweep goes down through the array, `sweepLength` entries for each write. At position 0 the
// pass ends, and the next one starts at the last entry. Whenever an entry is removed, the last
// entry takes its place. If that place is at or above the cursor, the moved entry was above the
// cursor before: it was checked in this pass, or was inserted during it. If the place is below the
// cursor, this pass will check the moved entry (again). So a pass checks every entry that existed
// when it began.
//
// Invariants:
//  1. The index contains each position once, with the hash of its entry.
//  2. The entries that this pass has yet to check are below the cursor.
//  3. There are at most 2 × live + 64 entries, where live is counted at the last purge.
//
// `removeDead` removes only as many dead entries as its caller asks for. It first checks the newest
// entries. Then it scans up from its own cursor, the position where its last scan stopped. The
// newest entry takes the place of a removed one, so the entries that follow the scan cursor remain
// the oldest. Therefore a scan costs only the distance to the next dead entry: one or two steps if
// objects die in the order of their creation or in reverse, n / (dead + 1) steps on average if they
// die in random order, and n steps only if it checks every entry.
//
// A dead entry is removed within n + 1 writes, where n is the greatest number of entries during
// that time: the object dies during one pass, the next pass finds the entry at the latest, and a
// pass takes n / 2 writes.

import Primitives
import WeakReferences

/// An entry of a `SweptTable`: a value whose first stored property is a `WeakReference<Object>`.
protocol SweptEntry {
  associatedtype Object

  /// Equal for entries that may be the same.
  var hash: UInt32 { get }
}

extension SweptEntry {
  static func reference(at entry: UnsafePointer<Self>) -> UnsafePointer<WeakReference<Object>> {
    UnsafeRawPointer(entry).assumingMemoryBound(to: WeakReference<Object>.self)
  }

  /// Returns the object that the entry refers to, retained by the result; nil once its `deinit` has
  /// begun.
  static func promote(at entry: UnsafePointer<Self>) -> Object? {
    WeakReference<Object>.promote(at: reference(at: entry))
  }
}

/// References that an operation must not release inside a critical section. Its caller releases
/// them outside.
struct Discards<Entry: SweptEntry> {
  /// Objects that were promoted. These may be the last references by now.
  var promoted = PromotedObjects()
  /// Entries of dead objects, with everything that they own.
  var removed: [Entry] = []
}

/// A table of entries found by hash that removes dead entries by itself.
struct SweptTable<Entry: SweptEntry> {
  private var entries: [Entry] = []
  private var index = HashIndex()
  private var cursor = 0
  /// The scan cursor of `removeDead`: the position where its next scan begins.
  private var scanCursor = 0
  /// When the table has this number of entries, an insertion purges first.
  private(set) var entryLimit = Self.slack

  private static var slack: Int { 64 }
  private static var sweepLength: Int { 2 }
  private static var newestCount: Int { 4 }

  /// The number of entries, including those of dead objects that were not removed yet.
  var count: Int { entries.count }

  subscript(position: Int) -> Entry {
    get { entries[position] }
    _modify { yield &entries[position] }
  }

  /// Returns the position of the first entry with `hash` that `isMatch` accepts.
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

  /// Calls `body` with each entry, including those of dead objects.
  func forEachEntry(_ body: (UnsafePointer<Entry>) -> Void) {
    entries.withUnsafeBufferPointer { entries in
      for position in entries.indices { body(entries.baseAddress! + position) }
    }
  }

  /// Adds an entry, which must be absent.
  mutating func insert(_ entry: Entry, discards: inout Discards<Entry>) {
    if entries.count >= entryLimit { purge(discards: &discards) }
    index.insert(entries.count, hash: entry.hash)
    entries.append(entry)
    checkInvariants()
  }

  /// Removes and returns the entry at `position`; the last entry takes its place.
  mutating func remove(at position: Int) -> Entry {
    let last = entries.count - 1
    index.remove(position, hash: entries[position].hash)
    if position != last {
      index.move(last, to: position, hash: entries[last].hash)
      entries.swapAt(position, last)
    }
    return entries.removeLast()
  }

  /// Checks the next few entries and removes the dead ones; called once for each write.
  mutating func sweep(discards: inout Discards<Entry>) {
    for _ in 0..<min(Self.sweepLength, entries.count) {
      cursor = min(cursor, entries.count)  // Other functions may have removed entries.
      if cursor == 0 { cursor = entries.count }
      cursor -= 1
      if isDead(at: cursor, discards: &discards) { discards.removed.append(remove(at: cursor)) }
    }
  }

  /// Removes every dead entry; returns the number of removed entries.
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

  /// Removes dead entries until `goal` are removed or none is left; returns the number of removed
  /// entries.
  mutating func removeDead(_ goal: Int, discards: inout Discards<Entry>) -> Int {
    let wanted = entries.count - min(max(0, goal), entries.count)
    let oldCount = entries.count
    var newest = entries.count
    while newest > max(0, oldCount - Self.newestCount), entries.count > wanted {
      newest -= 1
      if isDead(at: newest, discards: &discards) { discards.removed.append(remove(at: newest)) }
    }
    let start = min(scanCursor, entries.count)
    scanForDead(in: start..<entries.count, until: wanted, discards: &discards)
    // An entry that takes a place below `start` is checked a second time, at most once for each
    // dead entry.
    if entries.count > wanted { scanForDead(in: 0..<start, until: wanted, discards: &discards) }
    checkInvariants()
    return oldCount - entries.count
  }

  private mutating func scanForDead(
    in positions: Range<Int>, until wanted: Int, discards: inout Discards<Entry>
  ) {
    scanCursor = positions.lowerBound
    while entries.count > wanted, scanCursor < min(positions.upperBound, entries.count) {
      if isDead(at: scanCursor, discards: &discards) {
        discards.removed.append(remove(at: scanCursor))
      } else {
        scanCursor += 1
      }
    }
  }

  /// Returns the number of live objects, without promoting them if weak slots allow that.
  func liveCount(discards: inout Discards<Entry>) -> Int {
    entries.indices.count { !isDead(at: $0, discards: &discards) }
  }

  /// Reallocates the storage after many removals.
  private mutating func shrink() {
    entries = entries.map { $0 }
    index = HashIndex(hashes: entries.lazy.map(\.hash))
  }

  /// Returns whether the `deinit` of the object of the entry at `position` has begun.
  func isDead(at position: Int, discards: inout Discards<Entry>) -> Bool {
    withEntry(at: position) {
      WeakReference.isDead(at: Entry.reference(at: $0), promoted: &discards.promoted)
    }
  }

  private func checkInvariants() {
    #if InternalChecks
      precondition(
        count <= entryLimit,
        "\(count) entries exceed the limit of \(entryLimit) set by the last purge")
      for position in entries.indices {
        precondition(
          index.firstPosition(of: entries[position].hash) { $0 == position } == position,
          "the index does not find the entry at position \(position) by its hash")
      }
    #endif
  }
}

extension SweptTable: Sendable where Entry: Sendable {}
