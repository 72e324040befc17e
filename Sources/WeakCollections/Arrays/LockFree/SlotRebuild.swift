import Primitives
import WeakReferences

/// The construction of the successor of a closed directory, which keeps some segments and replaces
/// the others.
///
/// For growth it replaces a segment if more than an eighth of its entries are removed or dead, and
/// a segment that has become small compared with the array. A compaction also replaces a segment
/// for a single dead entry, and a clearing replaces all segments. The surviving entries of adjacent
/// replaced segments go into new segments together.
struct SlotRebuild<Element> {
  private let directory: SlotDirectory
  private let state: SlotDirectory.State

  /// The segments that were created for the successor.
  private(set) var fresh: [SlotSegment] = []
  /// The segments that the successor leaves out.
  private(set) var replaced: [SlotSegment] = []
  /// The entries that the successor leaves out.
  private(set) var dropped: [UInt] = []

  private var segments: [SlotSegment] = []
  /// The entries of replaced segments that are not yet in a new one.
  private var survivors: [UInt] = []

  /// Creates a construction.
  ///
  /// - Parameter directory: A closed directory, whose state is final.
  init(of directory: SlotDirectory) {
    self.directory = directory
    state = directory.state
  }

  static func emptyDirectory() -> SlotDirectory {
    SlotDirectory(
      [SlotSegment([], capacity: room(for: 0))], state: .init(position: 0, entryCount: 0),
      sweep: .init(afterPassLeaving: 0))
  }

  mutating func successor(
    for closing: SlotWord.Closing, promoted: inout PromotedObjects
  ) -> SlotDirectory {
    switch closing {
    case .growth: grow(&promoted)
    case .compaction: compact(&promoted)
    case .clearing: clear()
    }
  }

  private var tailIndex: Int { directory.segments.count - 1 }

  private mutating func grow(_ promoted: inout PromotedObjects) -> SlotDirectory {
    var sweep = directory.sweep
    let end = sweepEnd(sweep)
    for index in 0..<sweep.cursor { keep(index) }
    for index in sweep.cursor..<end where !look(at: index, promoted: &promoted) { keep(index) }
    let isComplete = end == tailIndex
    if !isComplete { flush() }
    sweep.cursor = segments.count
    for index in end..<tailIndex { keep(index) }
    if !look(at: tailIndex, promoted: &promoted) { keep(tailIndex) }
    let entryCount = state.entryCount - dropped.count
    return finish(
      tailPosition: nil, entryCount: entryCount,
      isComplete ? SlotDirectory.Sweep(afterPassLeaving: entryCount) : sweep)
  }

  /// Returns the index after the last segment that this replacement checks. The checked segments
  /// have twice as many slots as were filled since the last replacement, so that n appends remove n
  /// dead entries. They have 16 times as many if the array exceeds `entryLimit`.
  private func sweepEnd(_ sweep: SlotDirectory.Sweep) -> Int {
    let share = state.entryCount > sweep.entryLimit ? 16 : 2
    var slotCount = share * directory.tail.capacity
    var end = sweep.cursor
    while end < tailIndex && slotCount > 0 {
      slotCount -= directory.segments[end].capacity
      end += 1
    }
    return end
  }

  private mutating func compact(_ promoted: inout PromotedObjects) -> SlotDirectory {
    for index in 0..<tailIndex where !lookForAll(at: index, promoted: &promoted) { keep(index) }
    var tailPosition: Int?
    if !lookForAll(at: tailIndex, promoted: &promoted) {
      keep(tailIndex)
      tailPosition = state.position + 1  // After the slot that closed the directory.
    }
    let entryCount = state.entryCount - dropped.count
    return finish(
      tailPosition: tailPosition, entryCount: entryCount,
      SlotDirectory.Sweep(afterPassLeaving: entryCount))
  }

  private mutating func clear() -> SlotDirectory {
    for index in 0...tailIndex { replace(index) { _ in true } }
    return finish(tailPosition: nil, entryCount: 0, SlotDirectory.Sweep(afterPassLeaving: 0))
  }

  /// Searches a segment for dead entries. Replaces it and returns true if it lost enough entries.
  private mutating func look(at index: Int, promoted: inout PromotedObjects) -> Bool {
    var liveCount = 0
    forEachEntry(ofSegment: index) { entry in
      if !Self.isDead(entry, promoted: &promoted) { liveCount += 1 }
    }
    guard isWorthReplacing(index, liveCount: liveCount) else { return false }
    replaceWithoutDead(index, &promoted)
    return true
  }

  /// Searches a segment like `look`, but replaces it for any dead entry. Keeps the live objects
  /// alive until the root is replaced, so that none dies before.
  private mutating func lookForAll(at index: Int, promoted: inout PromotedObjects) -> Bool {
    var liveCount = 0
    var deadCount = 0
    forEachEntry(ofSegment: index) { entry in
      if Self.isHeld(entry, by: &promoted) { liveCount += 1 } else { deadCount += 1 }
    }
    guard deadCount > 0 || isWorthReplacing(index, liveCount: liveCount) else { return false }
    replaceWithoutDead(index, &promoted)
    return true
  }

  private static func isHeld(_ entry: UInt, by promoted: inout PromotedObjects) -> Bool {
    WeakEntry<Element>.promote(entry, into: &promoted)
  }

  private static func isDead(_ entry: UInt, promoted: inout PromotedObjects) -> Bool {
    WeakEntry<Element>.isDead(entry, promoted: &promoted)
  }

  private mutating func replaceWithoutDead(_ index: Int, _ promoted: inout PromotedObjects) {
    replace(index) { Self.isDead($0, promoted: &promoted) }
  }

  private func forEachEntry(ofSegment index: Int, _ body: (UInt) -> Void) {
    let segment = directory.segments[index]
    for slot in 0..<directory.filledCount(ofSegment: index, at: state) {
      let word = segment[slot]
      if word.isEntry { body(word.rawValue) }
    }
  }

  private func isWorthReplacing(_ index: Int, liveCount: Int) -> Bool {
    let count = directory.filledCount(ofSegment: index, at: state)
    return 8 * (count - liveCount) > count || 4 * count < Self.room(for: state.entryCount)
  }

  private mutating func replace(_ index: Int, dropping isDropped: (UInt) -> Bool) {
    var live: [UInt] = []
    var dead: [UInt] = []
    forEachEntry(ofSegment: index) { entry in
      if isDropped(entry) { dead.append(entry) } else { live.append(entry) }
    }
    survivors += live
    dropped += dead
    replaced.append(directory.segments[index])
  }

  private mutating func keep(_ index: Int) {
    flush()
    segments.append(directory.segments[index])
  }

  /// Puts the surviving entries into full segments.
  private mutating func flush() {
    while !survivors.isEmpty {
      let first = survivors.prefix(SlotSegment.largestCapacity)
      add(SlotSegment(first, capacity: first.count))
      survivors.removeFirst(first.count)
    }
  }

  private mutating func add(_ segment: SlotSegment) {
    fresh.append(segment)
    segments.append(segment)
  }

  /// Returns the successor.
  ///
  /// `tailPosition` is the position at which the last kept segment continues as the tail; nil if a
  /// new tail begins with the surviving entries.
  private mutating func finish(
    tailPosition: Int?, entryCount: Int, _ sweep: SlotDirectory.Sweep
  ) -> SlotDirectory {
    let room = Self.room(for: entryCount)
    if survivors.count + room > SlotSegment.largestCapacity { flush() }
    let position = tailPosition ?? survivors.count
    if tailPosition == nil { add(SlotSegment(survivors[...], capacity: survivors.count + room)) }
    return SlotDirectory(
      segments, state: .init(position: position, entryCount: entryCount), sweep: sweep,
      droppedCount: dropped.count)
  }

  /// Returns the number of free slots of a new tail: the number of entries, from 16 up to 256; for
  /// large arrays an eighth of that number, up to `largestCapacity`. Beyond the minimum of 16 it
  /// never exceeds the number of entries. So even if all these slots fill with entries that die,
  /// there are at most 2 × live + 64 entries.
  private static func room(for entryCount: Int) -> Int {
    min(SlotSegment.largestCapacity, max(16, min(entryCount, 256), entryCount / 8))
  }
}
