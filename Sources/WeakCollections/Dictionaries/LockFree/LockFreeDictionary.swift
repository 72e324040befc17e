import EpochReclamation
import Primitives

// A hash table with open addressing, of cells of two words (Click, "A Lock-Free Wait-Free Hash Table",
// 2007), moved to its successor a chunk at a time by its writers (papaya, 2024).
//
// A key gets a cell once and for all: its word goes from 0 to the key. The value word says what stands
// there: `untouched`, a value, `claimed` by an `update`, `absent`, `removed`; and when the table is being
// replaced, `frozen` and `moved`. A write is one exchange of a value word. A table that is too full, too
// empty or has long probes gets a `next` one. From then on no key gets a value in a cell that is
// `untouched`, and every writer moves a chunk of cells, and the cell of its own key if it must. To move
// a cell is to freeze it, to put what it held into the next table where the key's cell is still
// `untouched`, and to mark it `moved`. When all cells are, the root is exchanged for the next table.
//
// Invariants:
//  1. A key word goes from 0 to a key and, for a key in a node, on to `dead`; never back. So all who
//     probe for a key meet at the same first empty cell, and once a table has the key it is found.
//  2. A value word leaves `untouched` once. To a value it goes only by a thread that saw `next` to be nil
//     after it saw the key in the cell. Once `next` is set, an empty cell therefore stays without a
//     value, and need not be closed. A writer loads `next` before it scans: only then may it take an
//     empty cell for the proof that the key belongs into the next table.
//  3. A value stands in one cell of all tables: an exchange puts it into the next table only after the
//     key's cell, if it has one, was frozen here; and nobody writes the key there before this cell is
//     `moved`, but the movers of this one word, of whom one finds `untouched`.
//  4. A frozen word never changes but to `moved`; `moved` and `removed` never change.
//  5. A word owns its value; `frozen` and `moved` own nothing. Whoever's exchange replaced a value
//     retires it. A table owns its key nodes until it is given back, but for those it marked `dead`,
//     which are retired by whoever marked them. A move copies the node.
//  6. A claim is ended by the thread that made it, wherever it was moved to; so a body runs once, with
//     nobody else changing its key. Readers see the value before; other writers of the key wait.
//
// A mover that was stopped cannot bring back a key that was moved and removed meanwhile. Before it puts
// a word into a cell it looks, after its scan, whether the old cell is still frozen. If so, nobody had
// written the key in the next table when it scanned; if the others have finished since, then either the
// cell it found has the key, and is not `untouched` any more (`absent` and `removed` are not), or it was
// empty and is not: its exchange fails, and after the next scan it sees that the cell is `moved`.
//
// Linearization. A write: its exchange of the value word. A read that finds a value, or `absent`: its
// load of the value word; a frozen one is still the truth, since whoever writes the key marks it `moved`
// before. A read that finds no key, or `untouched`, and no next table: its load of the word that told it
// so, for nobody had written the key elsewhere by then; if there is a next table it looks there.
//
// Progress. Reads are wait-free but for keys that are removed and set again, or tables replaced, while
// they look. Writes are lock-free but for keys that are claimed: a stopped mover delays the end of a
// move, not the writes, and when room runs out again, its chunk is moved by another. `update` is not.

/// The dictionary that no stopped thread can stop: lock-free but for `update`, with epoch reclamation.
///
/// Numbers, object identifiers and other trivial keys of fewer than eight bytes stand in the table itself,
/// as do values of up to eight bytes: to read or replace them allocates nothing. Other keys and values
/// are in nodes of their own. The table grows, shrinks and is purged step by step, by those who write.
///
/// A value that is replaced or removed is released when the epoch allows, see `EpochDomain`; so is a key
/// that is removed, and not before a replacement of the table has ended that was under way then.
public final class LockFreeDictionary<Key: Hashable, Value>: SynchronousDictionary {
  typealias Table = CellTable<Key, Value>
  typealias Print = Fingerprint<Key>
  typealias Coding = ValueCoding<Value>

  let domain: EpochDomain
  let root: Atomic<UnsafeMutableRawPointer>
  /// How many keys have a value.
  let live = LiveCount()
  /// How many keys without a value are claimed.
  let claimsOfAbsent = Atomic<Int>(0)
  /// Counts claims that have ended.
  let endedClaims = EventCounter()
  /// Tables do not become smaller.
  let leastCapacity: Int

  public convenience init() {
    self.init(domain: .shared)
  }

  /// A dictionary whose memory is reclaimed by `domain`.
  public convenience init(domain: EpochDomain) {
    self.init(domain: domain, leastCapacity: 8)
  }

  /// - Parameter leastCapacity: a power of two, at least 2.
  package convenience init(domain: EpochDomain, leastCapacity: Int) {
    self.init(domain: domain, leastCapacity: leastCapacity, seeds: .random())
  }

  init(domain: EpochDomain, leastCapacity: Int, seeds: HashSeeds) {
    self.domain = domain
    self.leastCapacity = leastCapacity
    root = Atomic(Table(capacity: leastCapacity, seeds: seeds).memory)
  }

  deinit {
    noteLastRelease(of: self)
    // Nobody else has the dictionary any more: its last release ordered everything before this.
    domain.pin { finishMoves() }
    let table = current
    for index in 0..<table.cellCount { Coding.destroy((table.cells + index).pointee.value) }
    table.deallocate()
  }

  public func setValue(_ value: Value, forKey key: Key) {
    Exclusion.checkNotHeld(self)
    let new = Coding.encode(value)
    change(key, Print(key), { _ in new }) { old in Coding.retire(old, in: domain) }
  }

  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    Exclusion.checkNotHeld(self)
    return change(key, Print(key), { $0 == .absent ? nil : .absent }) { old in
      let value = Coding.copy(old)
      Coding.retire(old, in: domain)
      return value
    }
  }

  public func value(forKey key: Key, orInsert makeValue: () -> Value) -> Value {
    Exclusion.checkNotHeld(self)
    if let present = value(forKey: key) { return present }
    let made = makeValue()
    let new = Coding.encode(made)
    let present = change(key, Print(key), { $0 == .absent ? new : nil }) { Coding.copy($0) }
    if present != nil && !Defect.loserKept.isPlanted { Coding.destroy(new) }
    return present ?? made
  }

  /// Removes the keys one by one; keys set meanwhile may stay.
  public func removeAll() {
    Exclusion.checkNotHeld(self)
    for (key, _) in pairs { removeValue(forKey: key) }
  }
}

// @unchecked: what threads share is atomic or immutable; keys and values are shared only if they may be.
extension LockFreeDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}

extension LockFreeDictionary {
  public func value(forKey key: Key) -> Value? {
    let print = Print(key)
    return domain.pin { Coding.copy(word(for: key, print)) }
  }

  /// Calls `body` with the value for `key`, which is neither copied nor retained; nil without a value.
  ///
  /// `body` runs with the epoch pinned: while it runs, nothing that anybody takes out of a collection of
  /// this domain is released. The value that it has got may be replaced meanwhile.
  public func withValue<R, F: Error>(
    forKey key: Key, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    let print = Print(key)
    return try domain.pin { () throws(F) -> R? in try Coding.borrow(word(for: key, print), body) }
  }

  var current: Table {
    @inline(__always) get {
      // Sequentially consistent, as is every load of a structure under a pin; pairs with the exchange
      // in `unlink`.
      Table(memory: root.load(ordering: .sequentiallyConsistent))
    }
  }

  /// The word that stands for `key`: a value, boxed or not, claimed, frozen, or `absent`. For use under
  /// a pin.
  @inline(__always)
  func word(for key: Key, _ print: Print) -> ValueWord {
    let table = current
    let place = table.find(key, print)
    if !place.hasKey { return wordBehind(table, key, print) }
    let word = place.cell.pointee.value
    if Coding.fitsWord && word.isInline || word.isBoxed { return word }
    return search(table, key, print)
  }

  /// The word for a key that `table` was seen not to have.
  @inline(__always)
  private func wordBehind(_ table: Table, _ key: Key, _ print: Print) -> ValueWord {
    guard let next = table.next, !Defect.missNotPursued.isPlanted else { return .absent }
    return search(next, key, print)
  }

  /// The word for `key` in `table` or one of those behind it.
  @inline(never)
  func search(_ table: Table, _ key: Key, _ print: Print) -> ValueWord {
    var table = table
    while true {
      let place = table.find(key, print)
      let word = place.hasKey ? place.cell.pointee.value : .untouched
      switch word.kind {
      case .inline, .boxed, .claimed, .frozen, .absent: return word
      case .removed: bury(place.cell)
      case .untouched, .moved:
        guard let next = table.next else { return .absent }
        table = next
      }
    }
  }

  /// Lets the key of a removed cell go, so that probes for it go on behind the cell.
  func bury(_ cell: Cell.Pointer) {
    let word = cell.pointee.key
    let dead = KeyCoding<Key>.dead
    guard word != dead, cell.pointee.exchangeKey(word, for: dead) else { return }
    KeyCoding<Key>.retire(word, in: domain)
  }
}

extension LockFreeDictionary {
  /// Makes the word for `key` the one that `decide` says, again whenever that changed meanwhile.
  ///
  /// `decide` gets a value's word or `absent`, and returns such a word or a claim, or nil to leave all as
  /// it is; it may be called several times. It gets a claim only when that is `mine`: other claims are
  /// waited for. `finish` gets the word that was last decided upon, still under the pin.
  @inline(__always)
  func change<R>(
    _ key: Key, _ print: Print, mine: ValueWord = .untouched,
    _ decide: (ValueWord) -> ValueWord?, finish: (ValueWord) -> R
  ) -> R {
    while true {
      var isReplaced = false
      let result = domain.pin { tryChange(key, print, mine, decide, &isReplaced).map(finish) }
      if isReplaced { reclaimTable() }
      if let result { return result }
      let ticket = endedClaims.ticket()
      let mustWait = domain.pin { word(for: key, print).holdsClaim }
      if mustWait {
        endedClaims.wait(
          for: Defect.lostWakeUp.isPlanted ? endedClaims.ticket() : ticket)
      }
    }
  }

  /// Gives back a table that was replaced, if nobody is pinned: where keys and values need no nodes,
  /// nothing else that is retired would make the epoch advance.
  @inline(never)
  private func reclaimTable() {
    domain.advance()
  }

  /// nil when a claim must end first; sets `isReplaced` when the move of a table has ended.
  @inline(__always)
  private func tryChange(
    _ key: Key, _ print: Print, _ mine: ValueWord, _ decide: (ValueWord) -> ValueWord?,
    _ isReplaced: inout Bool
  ) -> ValueWord? {
    var table = current
    if table.next != nil {
      let first = table
      table = moveSome(of: first)
      isReplaced = table != first
    }
    while true {
      // Before the scan: with a next table nobody puts a value into a cell that the scan finds empty.
      var next = table.next
      let place = table.find(key, print)
      if Defect.scanBeforeNext.isPlanted { next = table.next }
      if !place.hasKey {
        if let next {
          table = next
        } else {
          if decide(.absent) == nil { return .absent }
          plant(key, print, in: place.cell, of: table)
        }
        continue
      }
      let cell = place.cell
      let word = cell.pointee.value
      if word.isOccupied || word == .absent {
        if word.isClaimed && word != mine && !Defect.claimIgnored.isPlanted { return nil }
        guard let new = decide(word) else { return word }
        if exchange(word, for: new, in: cell, of: table) { return word }
      } else if word == .untouched && (table.next == nil || Defect.nextOverlooked.isPlanted) {
        guard let new = decide(.absent) else { return .absent }
        if exchange(word, for: new, in: cell, of: table) { return .absent }
      } else if word == .removed {
        bury(cell)
      } else {
        move(cell, of: table)
        table = table.next.unsafelyUnwrapped
      }
    }
  }

  /// Makes the value `word` absent, if it stands in that cell still; whether it did. For use under the pin under
  /// which `table` was the current one, and `word` found by walking over its cells: in a table that is not current
  /// yet a value may be removed whose cell of the table before is frozen still, where readers would find it.
  ///
  /// What is frozen is not touched: its place is the next table. Nor is anything else once there is one: who removes
  /// then by the key moves a chunk, without which a table that many removals have emptied would stay. If the next
  /// one comes after the look, the exchange is as sound as that of `tryChange`, which finds a value and then one.
  func remove(_ word: ValueWord, at index: Int, of table: Table) -> Bool {
    guard table.next == nil, word.isInline || word.isBoxed else { return false }
    return exchange(word, for: .absent, in: table.cells + index, of: table)
  }

  /// Makes `old` what was decided upon.
  @inline(__always)
  private func exchange(
    _ old: ValueWord, for new: ValueWord, in cell: Cell.Pointer, of table: Table
  ) -> Bool {
    let isRemoval = new == .absent
    let stored = isRemoval && !KeyCoding<Key>.fitsWord ? .removed : new
    let isInPlace = old.isInline && new.isInline
    if !isInPlace { countArrival(of: new, for: old) }
    HaltPoint.betweenAtomics.reach()
    guard cell.pointee.exchangeValue(old, for: stored) else {
      CurrentThread.noteFailedExchange()
      if !isInPlace { countDeparture(of: new, for: old) }
      return false
    }
    let changed = isInPlace ? nil : countDeparture(of: old, for: new)
    if isRemoval { noteRemoval(in: cell, of: table, leaving: changed) }
    table.checkInvariants(around: cell)
    return true
  }

  @inline(never)
  private func noteRemoval(in cell: Cell.Pointer, of table: Table, leaving count: Int?) {
    if !KeyCoding<Key>.fitsWord { bury(cell) }
    // Now and then, and whatever the keys' hashes: looking at the whole count costs more than removing.
    if let count, count & 15 == 0 { shrinkIfSparse(table) }
  }

  /// Gives a key that was not found the cell where it would go, or makes room for it elsewhere.
  @inline(never)
  private func plant(
    _ key: Key, _ print: Print, in cell: Cell.Pointer, of table: Table
  ) {
    if reseedIfLong(table.distance(of: cell, print), table) { return }
    guard table.reserve() else { return makeRoom(in: table) }
    if !table.plant(key, print, in: cell) { table.unreserve() }
    HaltPoint.betweenAtomics.reach()
  }
}

extension LockFreeDictionary {
  public func update<R, F: Error>(
    _ key: Key, _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
    Exclusion.checkNotHeld(self)
    let print = Print(key)
    var old: Value?
    var new: Value?
    // Held from before the claim, so that no reclaimer runs while this thread has one.
    let result = Exclusion.hold(self) {
      let claim = claim(key, print)
      // The claim owns the word, so that no pin is needed.
      old = Coding.copy(claim.pointee.prior)
      new = old
      if Defect.bodyRunsTwice.isPlanted { _ = Result { () throws(F) in try body(&new) } }
      let result = Result { () throws(F) in try body(&new) }
      if case .success = result {
        end(claim, of: key, print, with: new.map { Coding.encode($0) } ?? .absent)
      } else {
        end(claim, of: key, print, with: nil)
      }
      return result
    }
    return try withExtendedLifetime((old, new)) { () throws(F) in try result.get() }
  }

  /// Marks `key` as ours to change.
  private func claim(_ key: Key, _ print: Print) -> UnsafeMutablePointer<Claim> {
    let claim = Claim.make()
    let word = ValueWord(.claimed, claim)
    change(
      key, print,
      { present in
        claim.writing().pointee.prior = present
        return word
      }, finish: { _ in })
    return claim
  }

  /// Puts `new` in the place of the claim, wherever it was moved to; nil stands for what was there before.
  private func end(
    _ claim: UnsafeMutablePointer<Claim>, of key: Key, _ print: Print, with new: ValueWord?
  ) {
    let word = ValueWord(.claimed, claim)
    let prior = claim.reading().pointee.prior
    change(key, print, mine: word, { _ in new ?? prior }) { _ in
      if new != nil { Coding.retire(prior, in: domain) }
      domain.retire(claim, as: Claim.self)
    }
    endedClaims.signal()
  }
}

extension Claim: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    NodeMemory.deallocate(pointer)
  }
}

extension LockFreeDictionary {
  /// What becomes of a key's value.
  enum Decision {
    case leave
    /// The value offered takes its place.
    case replace
    case remove
  }

  /// Changes the value for `key`, or leaves it, by what it is, in one step: `decide` gets it, or nil, and
  /// may be called again if it changed meanwhile. Returns what the last call said.
  ///
  /// `decide` must be free of effects and short: it runs under the pin. What a value refers to is not
  /// released before the pin ends.
  func change<R>(
    _ key: Key, offering offer: Value, _ decide: (Value?) -> (Decision, R)
  ) -> R {
    Exclusion.checkNotHeld(self)
    let offered = Coding.encode(offer)
    var decision = Decision.leave
    var answer: R?
    change(key, Print(key)) { present in
      (decision, answer) = decide(Coding.copy(present))
      switch decision {
      case .leave: return nil
      case .replace: return offered
      case .remove: return present == .absent ? nil : .absent
      }
    } finish: { old in
      if decision != .leave { Coding.retire(old, in: domain) }
    }
    if decision != .replace { Coding.destroy(offered) }
    return answer.unsafelyUnwrapped
  }
}

// What arrives is counted before it does, and what leaves afterwards. The counts are then never less than
// what is there, whichever threads are stopped; if they were, others would replace a table again and again
// by one that is too small for what must be moved to it.
extension LockFreeDictionary {
  public var count: Int { max(0, live.total) }

  /// At least as many values and claims as there are to be moved to a next table.
  var occupancy: Int {
    // Relaxed: a count, through which nothing else is read.
    max(0, live.total + claimsOfAbsent.load(ordering: .relaxed))
  }

  /// Counts `new`, which is about to take the place of `old`.
  @inline(never)
  func countArrival(of new: ValueWord, for old: ValueWord) {
    if new.isValue && !old.isValue && !Defect.countedTooLate.isPlanted { live.add(1) }
    // Relaxed, here and below, as in `occupancy`.
    if new.claimsAbsent { claimsOfAbsent.wrappingAdd(1, ordering: .relaxed) }
  }

  /// Stops to count `old`, in whose place is `new`; returns what `live` returns if that became less.
  @inline(never) @discardableResult
  func countDeparture(of old: ValueWord, for new: ValueWord) -> Int? {
    if new.isValue && !old.isValue && Defect.countedTooLate.isPlanted { live.add(1) }
    if old.claimsAbsent { claimsOfAbsent.wrappingSubtract(1, ordering: .relaxed) }
    guard old.isValue && !new.isValue && !Defect.countNeverFalls.isPlanted else { return nil }
    return live.add(-1)
  }
}

extension ValueWord {
  /// Whether readers see a value. Of a claim, only its own thread may ask.
  var isValue: Bool { seen.isInline || seen.isBoxed }

  /// Whether it is the claim of a key without a value. Only its own thread may ask.
  fileprivate var claimsAbsent: Bool { isClaimed && !isValue }

  /// Whether it is a claim, frozen or not.
  var holdsClaim: Bool { isClaimed || kind == .frozen && kept.isClaimed }
}

extension LockFreeDictionary {
  public func values(forKeys keys: [Key]) -> [Value?] {
    Coding.values(forKeys: keys, in: domain) {
      UnsafeRawPointer(current.firstCell(for: $0))
    } word: {
      word(for: $0, $1)
    }
  }
}
