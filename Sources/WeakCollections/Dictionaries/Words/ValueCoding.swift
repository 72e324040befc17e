import CShims
import EpochReclamation
import Primitives
import WeakReferences

/// A tagged word: the state of a cell and its value.
///
///     below 2^48:     | 16 zero bits | 45 bits: a pointer or zeros | 3 bits: the kind |
///     2^48 and above: |               64 bits: a value ^ `escape`                     |
///
/// Zeroed memory reads as `untouched`. If `ValueCoding.fitsWord`, the word stores the value itself:
///
///  - A value below 2^48 that may be a pointer, and whose low three bits are 0, has the kind
///    `inline`. The word then points into the memory that the value owns, so that leak detectors
///    find that memory.
///  - Any other value is exclusive-ored with `escape`; if the result is below 2^48, the value is
///    boxed instead.
struct ValueWord: Equatable {
  let bits: UInt

  enum Kind: UInt {
    /// The key never had a value in this table. A cell never returns to this state.
    case untouched
    /// The value was removed. The cell may get a value again.
    case absent
    /// The value was removed permanently: the key is in a node, which is retired.
    case removed
    /// The word is in the next table.
    case migrated
    /// A pointer to the value.
    case boxed
    /// A pointer to a `Claim`.
    case claimed
    /// A pointer to the word that was in this cell, and must not change here any more.
    case frozen
    /// A value that is stored in the word. Every word at or above 2^48 also has this kind.
    case inline
  }

  static let untouched = ValueWord(bits: Kind.untouched.rawValue)
  static let absent = ValueWord(bits: Kind.absent.rawValue)
  static let removed = ValueWord(bits: Kind.removed.rawValue)
  static let migrated = ValueWord(bits: Kind.migrated.rawValue)

  /// The constant that inline values are exclusive-ored with. The upper 16 bits of most numbers are
  /// all zeros or all ones, and then the resulting word is at or above 2^48.
  static var escape: UInt { 0x8001 << 48 }

  @inline(__always)
  init(bits: UInt) {
    self.bits = bits
  }

  init(_ kind: Kind, _ pointer: UnsafeMutableRawPointer) {
    let address = UInt(bitPattern: pointer)
    guard address >> 48 == 0 && address & 7 == 0 else { refuse(address: pointer) }
    bits = address | kind.rawValue
  }

  /// Whether the word is at or above 2^48: an inline value.
  var isEscaped: Bool {
    @inline(__always) get { bits >> 48 != 0 }
  }

  var isInline: Bool {
    @inline(__always) get { isEscaped || bits & 7 == Kind.inline.rawValue }
  }

  var kind: Kind {
    @inline(__always) get {
      isEscaped ? .inline : Kind(rawValue: bits & 7).unsafelyUnwrapped
    }
  }

  var isBoxed: Bool {
    @inline(__always) get { !isEscaped && bits & 7 == Kind.boxed.rawValue }
  }

  var isClaimed: Bool {
    @inline(__always) get { !isEscaped && bits & 7 == Kind.claimed.rawValue }
  }

  /// Creates the word of a value with these bits; fails if the value must be boxed.
  @inline(__always)
  init?(inline value: UInt, mayBePointer: Bool) {
    if mayBePointer && value >> 48 == 0 && value & 7 == 0 {
      bits = value | Kind.inline.rawValue
    } else {
      bits = value ^ Self.escape
      if !isEscaped { return nil }
    }
  }

  /// Returns the bits of the value of an inline word.
  @inline(__always)
  func inlineValue(mayBePointer: Bool) -> UInt {
    mayBePointer && !isEscaped ? bits & ~7 : bits ^ Self.escape
  }

  /// Whether the word is a value or a claim.
  var isOccupied: Bool {
    @inline(__always) get { isInline || isBoxed || isClaimed }
  }

  var pointer: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(bitPattern: bits & ~7).unsafelyUnwrapped
  }

  /// The word that a reader sees: for a frozen word the original, for a claim the word before it.
  var seen: ValueWord {
    switch kind {
    case .frozen: frozenWord.seen
    case .claimed: Claim.at(self).reading().pointee.prior
    default: self
    }
  }

  /// The word that was frozen; requires a frozen word.
  var frozenWord: ValueWord {
    pointer.assumingMemoryBound(to: ValueWord.self).reading().pointee
  }

  /// Whether readers see a value. For a claim, the caller must be pinned, or the claim be its own.
  var isValue: Bool { seen.isInline || seen.isBoxed }

  /// Whether the word is the claim of a key without a value. Only its own thread may call this.
  var claimsAbsent: Bool { isClaimed && !isValue }

  /// Whether the word is a claim, frozen or not.
  var holdsClaim: Bool { isClaimed || kind == .frozen && frozenWord.isClaimed }
}

/// The claim of an `update` on a key. Its word is in the key's cell while the body runs.
struct Claim: Reclaimable {
  /// The word from before the claim, which the claim owns; `absent` if there was no value.
  var prior: ValueWord

  static func make() -> UnsafeMutablePointer<Claim> {
    let claim = NodeMemory.allocate(Claim.self)
    claim.writing().initialize(to: Claim(prior: .absent))
    return claim
  }

  static func at(_ word: ValueWord) -> UnsafeMutablePointer<Claim> {
    word.pointer.assumingMemoryBound(to: Claim.self)
  }

  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    NodeMemory.deallocate(pointer)
  }
}

/// The encoding of the values of one type as tagged words.
///
/// A word owns its value, as a variable does. `destroy` releases a value that no other thread has
/// seen; `release` one that was replaced or removed.
///
/// A *counted* value is a reference to one object, and is released as soon as it is removed. Why
/// its readers are safe:
///  - While the word is in a cell, it holds the object. The thread that removes the word first adds
///    an unowned reference, which holds the object's memory, and then releases the object; it
///    retires the unowned reference. So a reader that found the word under its pin may promote the
///    object until it unpins.
///  - A reader whose promotion fails found a word that was removed after it had loaded it: nothing
///    else releases the reference of the cell, and an object whose `deinit` has begun is refused
///    (`encode`). It looks again.
///  - If no thread can see the removed word (`EpochDomain.isQuiet`), the unowned reference is not
///    needed.
///  - A body of `withValue` borrows the object without a reference. It runs under the pin, and the
///    dictionary has a flag (`Borrowing`) from before the first such pin on. So if the flag is not
///    set when a writer loads it after its removal, no borrower has found the word.
///
/// All other values that may run user code when they are released wait for the readers, as nodes
/// do: `EpochDomain.release`.
enum ValueCoding<Value> {
  /// Whether values are stored in the word itself: numbers, object references, and any
  /// bitwise-takable value of up to eight bytes.
  static var fitsWord: Bool {
    @inline(__always) get {
      MemoryLayout<Value>.size <= MemoryLayout<UInt>.size
        && MemoryLayout<Value>.alignment <= MemoryLayout<UInt>.alignment
        && _isBitwiseTakable(Value.self)
    }
  }

  /// Whether a value is as large as a word, so that a bit cast encodes it within its register.
  private static var fillsWord: Bool {
    @inline(__always) get { fitsWord && MemoryLayout<Value>.size == MemoryLayout<UInt>.size }
  }

  /// Whether a value fits in a word and needs no release.
  static var isTrivial: Bool {
    @inline(__always) get { fitsWord && _isPOD(Value.self) }
  }

  /// Whether a value is a reference to an object that a reader can promote.
  static var isCounted: Bool {
    @inline(__always) get {
      #if os(Linux) && !WeakBoxes
        fillsWord && !_isPOD(Value.self)
          && (Value.self is AnyClass || Value.self == AnyObject.self)
      #else
        false
      #endif
    }
  }

  /// Whether releasing a value cannot run a `deinit`.
  private static var isInert: Bool {
    @inline(__always) get { _isPOD(Value.self) || Value.self == String.self }
  }

  /// Whether a value's bits may be an address: false for the standard number types and for values
  /// of fewer than eight bytes.
  private static var mayBePointer: Bool {
    @inline(__always) get {
      !(Value.self == Int.self || Value.self == UInt.self || Value.self == Int64.self
        || Value.self == UInt64.self || Value.self == Double.self
        || MemoryLayout<Value>.size < MemoryLayout<UInt>.size)
    }
  }

  /// Returns the word of a value. Traps if the value is an object whose `deinit` has begun.
  @inline(__always)
  static func encode(_ value: Value) -> ValueWord {
    #if os(Linux) && !WeakBoxes
      if isCounted && UnownedCount.isDead(unsafeBitCast(value, to: UInt.self)) { refuseDead() }
    #endif
    if fillsWord && isTrivial {
      let bits = unsafeBitCast(value, to: UInt.self)
      if let word = ValueWord(inline: bits, mayBePointer: mayBePointer) { return word }
    } else if fitsWord {
      var bits: UInt = 0
      withUnsafeMutablePointer(to: &bits) {
        _ = UnsafeMutableRawPointer($0).initializeMemory(as: Value.self, to: value)
      }
      if let word = ValueWord(inline: bits, mayBePointer: mayBePointer) { return word }
      withUnsafeMutablePointer(to: &bits) {
        _ = UnsafeMutableRawPointer($0).assumingMemoryBound(to: Value.self)
          .deinitialize(count: 1)
      }
    }
    return boxed(value)
  }

  @inline(never)
  private static func boxed(_ value: Value) -> ValueWord {
    let memory = NodeMemory.allocate(
      byteCount: max(1, MemoryLayout<Value>.size),
      alignment: max(MemoryLayout<Value>.alignment, MemoryLayout<UInt>.alignment))
    memory.bindMemory(to: Value.self, capacity: 1).writing().initialize(to: value)
    return ValueWord(.boxed, memory)
  }

  /// Returns a copy of the value that a reader of the result of `word` sees; nil if there is none.
  /// Calls `word` again if the object was removed meanwhile. The caller must be pinned.
  @inline(__always)
  static func copy(_ word: () -> ValueWord) -> Value? {
    while true {
      let word = word()
      if let value = copy(word) { return value }
      if !isCounted || !word.seen.isInline { return nil }
      spinHint()
    }
  }

  /// Returns a copy of the value that a reader of `word` sees; nil if there is none, or if it was a
  /// counted value that has been removed since. The caller must be pinned, or own the word.
  @inline(__always)
  static func copy(_ word: ValueWord) -> Value? {
    if fitsWord, let value = copyInline(word) { return value }
    return word == .absent ? nil : copyOther(word.seen)
  }

  private static func copyOther(_ word: ValueWord) -> Value? {
    switch word.kind {
    case .inline where fitsWord: copyInline(word)
    case .boxed: box(word).reading().pointee
    default: nil
    }
  }

  /// Calls `body` with the value that a reader of `word` sees, without a copy; returns nil if there
  /// is none.
  @inline(__always)
  static func borrow<R, F: Error>(
    _ word: ValueWord, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    let word = word.seen
    if fitsWord && word.isInline {
      var bits = word.inlineValue(mayBePointer: mayBePointer)
      return try withUnsafeMutablePointer(to: &bits) { pointer throws(F) in
        try borrow(
          at: UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Value.self), body)
      }
    }
    guard word.kind == .boxed else { return nil }
    return try borrow(boxed: box(word).reading(), body)
  }

  /// Borrows from a bitwise copy on the stack, because other threads also borrow from the box.
  private static func borrow<R, F: Error>(
    boxed box: UnsafeMutablePointer<Value>, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R {
    guard _isBitwiseTakable(Value.self) && !_isPOD(Value.self) else { return try body(box.pointee) }
    var result: Result<R, F>?
    withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
      let slot = buffer.baseAddress.unsafelyUnwrapped
      UnsafeMutableRawPointer(slot).copyMemory(from: box, byteCount: MemoryLayout<Value>.size)
      result = Result { () throws(F) in try borrow(at: slot, body) }
    }
    return try result.unsafelyUnwrapped.get()
  }

  /// Moves the value out and back in. Reading it instead would copy, which borrowing avoids.
  @inline(__always)
  private static func borrow<R, F: Error>(
    at slot: UnsafeMutablePointer<Value>, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R {
    let value = slot.move()
    do throws(F) {
      let result = try body(value)
      slot.initialize(to: consume value)
      return result
    } catch {
      slot.initialize(to: consume value)
      throw error
    }
  }

  /// Releases the value of a word that no other thread has seen.
  static func destroy(_ word: ValueWord) {
    if isTrivial && word.isInline { return }
    switch word.kind {
    case .inline:
      var bits = word.inlineValue(mayBePointer: mayBePointer)
      withUnsafeMutablePointer(to: &bits) {
        _ = UnsafeMutableRawPointer($0).assumingMemoryBound(to: Value.self)
          .deinitialize(count: 1)
      }
    case .boxed:
      box(word).writing().deinitialize(count: 1)
      NodeMemory.deallocate(word.pointer)
    default: break
    }
  }

  /// Releases the value of a word that was replaced or removed. The caller is outside its pin.
  @inline(__always)
  static func release(_ word: ValueWord, in domain: EpochDomain, _ borrowing: borrowing Borrowing) {
    if isTrivial && word.isInline { return }
    releaseOther(word, in: domain, borrowing)
  }

  @inline(never)
  private static func releaseOther(
    _ word: ValueWord, in domain: EpochDomain, _ borrowing: borrowing Borrowing
  ) {
    guard word.isInline || word.isBoxed else { return }
    if isInert {
      retireOther(word, in: domain)
    } else if isCounted && domain.mayRunUserCode && !borrowing.hasBegun {
      holdMemory(ofObjectIn: word, in: domain)
      domain.releasing { destroy(word) }
    } else {
      domain.release(word.retired, as: RetiredValue<Value>.self)
    }
  }

  /// Releases the values of words that were removed, with one look at the readers. The caller is
  /// outside its pin.
  static func release(
    _ words: [ValueWord], in domain: EpochDomain, _ borrowing: borrowing Borrowing
  ) {
    if isInert || isCounted {
      for word in words { release(word, in: domain, borrowing) }
    } else {
      var retired: [UnsafeMutableRawPointer] = []
      for word in words { retired.append(word.retired) }
      domain.release(retired, as: RetiredValue<Value>.self)
    }
  }

  /// Returns the value of a word that was removed, and releases the word. The caller is outside its
  /// pin.
  @inline(__always)
  static func take(
    _ word: ValueWord, in domain: EpochDomain, _ borrowing: borrowing Borrowing
  ) -> Value? {
    if isTrivial && word.isInline { return copyInline(word) }
    return takeOther(word, in: domain, borrowing)
  }

  @inline(never)
  private static func takeOther(
    _ word: ValueWord, in domain: EpochDomain, _ borrowing: borrowing Borrowing
  ) -> Value? {
    guard word.isInline || word.isBoxed else { return nil }
    #if os(Linux) && !WeakBoxes
      if isCounted && !borrowing.hasBegun {
        // The caller gets the reference of the word.
        holdMemory(ofObjectIn: word, in: domain)
        let object = UnsafeRawPointer(bitPattern: word.inlineValue(mayBePointer: true))
        return unsafeBitCast(
          Unmanaged<AnyObject>.fromOpaque(object.unsafelyUnwrapped).takeRetainedValue(),
          to: Value.self)
      }
    #endif
    let value = copy(word)
    release(word, in: domain, borrowing)
    return value
  }

  /// Keeps the memory of a counted value allocated for readers that have found the word.
  @inline(__always)
  private static func holdMemory(ofObjectIn word: ValueWord, in domain: EpochDomain) {
    #if os(Linux) && !WeakBoxes
      if domain.isQuiet { return }
      let address = word.inlineValue(mayBePointer: true)
      let byteCount = UnownedCount.retainMemory(address)
      domain.retire(
        UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped, as: WeakWord.self,
        byteCount: byteCount)
    #endif
  }

  /// Retires the value of a word that was replaced, whose release runs no user code.
  @inline(__always)
  static func retire(_ word: ValueWord, in domain: EpochDomain) {
    if isTrivial && word.isInline { return }
    retireOther(word, in: domain)
  }

  @inline(never)
  private static func retireOther(_ word: ValueWord, in domain: EpochDomain) {
    guard word.isInline || word.kind == .boxed else { return }
    domain.retire(
      word.retired, as: RetiredValue<Value>.self, byteCount: MemoryLayout<Value>.size)
  }

  /// Whether the word is that of a value, and contains it.
  @inline(__always)
  static func isInline(_ word: ValueWord) -> Bool {
    fitsWord && (mayBePointer ? word.isInline : word.isEscaped)
  }

  /// Returns a copy of the value of an inline word; nil for any other word, and for a counted value
  /// that has been removed since.
  @inline(__always)
  static func copyInline(_ word: ValueWord) -> Value? {
    guard isInline(word) else { return nil }
    var bits = word.inlineValue(mayBePointer: mayBePointer)
    #if os(Linux) && !WeakBoxes
      if isCounted {
        ManagedScheduler.step()
        return UnownedCount.promote(bits).map {
          unsafeBitCast($0.takeRetainedValue(), to: Value.self)
        }
      }
    #endif
    if fillsWord { return unsafeBitCast(bits, to: Value.self) }
    return withUnsafeMutablePointer(to: &bits) {
      UnsafeRawPointer($0).assumingMemoryBound(to: Value.self).pointee
    }
  }

  /// Returns the value that is in a value word, or `.some(nil)` if the word is `absent`; nil if a
  /// reader must look closer.
  @inline(__always)
  static func inlineValue(_ word: ValueWord) -> Value?? {
    if let value = copyInline(word) { return value }
    return word == .absent ? .some(nil) : nil
  }

  private static func box(_ word: ValueWord) -> UnsafeMutablePointer<Value> {
    word.pointer.assumingMemoryBound(to: Value.self)
  }

  /// The number of keys that are prefetched before the first of them is looked up: more than the
  /// cache misses that a core can have outstanding. A power of two.
  private static var window: Int { 32 }

  /// Returns the values for `keys`, in the same order, looked up under one pin.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - domain: The domain to pin.
  ///   - place: Returns the address where the search for a key begins. It is prefetched while
  ///     earlier keys are looked up, so that the cache misses overlap.
  ///   - word: Returns the value word for a key, whose place is the last argument.
  @inline(__always)
  static func values<Key: Hashable>(
    forKeys keys: [Key], in domain: EpochDomain,
    place: (HashedKey<Key>) -> UnsafeMutableRawPointer,
    word: (Key, HashedKey<Key>, UnsafeMutableRawPointer) -> ValueWord
  ) -> [Value?] {
    typealias Sought = (hashed: HashedKey<Key>, place: UnsafeMutableRawPointer)
    return [Value?](capacity: keys.count) { values, count in
      domain.pin {
        withUnsafeTemporaryAllocation(of: Sought.self, capacity: window) { ahead in
          for index in 0..<keys.count + window {
            let slot = index & (window - 1)
            if index >= window {
              let key = keys[index - window]
              let (hashed, place) = ahead[slot]
              (values + (index - window)).initialize(to: copy { word(key, hashed, place) })
            }
            if index < keys.count {
              let hashed = HashedKey(keys[index])
              ahead[slot] = (hashed, place(hashed))
              cws_prefetch(ahead[slot].place)
            }
          }
        }
      }
      count = keys.count
    }
  }
}

/// Whether a dictionary has ever lent a value: see `ValueCoding`.
struct Borrowing: ~Copyable {
  private let flag = Atomic<Bool>(false)

  init() {}

  /// Called before the pin of a `withValue`.
  @inline(__always)
  borrowing func begin() {
    // Sequentially consistent: if another thread has set the flag, its store precedes this load in
    // S, and so this thread's loads of cells.
    if flag.load(ordering: .sequentiallyConsistent) { return }
    // Sequentially consistent; pairs with the load in `hasBegun`:
    // - if this store comes first, the writer sees it, and leaves the release to `EpochDomain`;
    // - if that load comes first, so does the writer's removal, and the borrower does not find the
    //   removed word.
    flag.store(true, ordering: .sequentiallyConsistent)
  }

  /// Whether a value has been lent. Called by a writer after its removal.
  var hasBegun: Bool {
    // Sequentially consistent: `begin` names the partner.
    flag.load(ordering: .sequentiallyConsistent)
  }
}

extension ValueWord {
  /// The word as `EpochDomain` takes it. A word with a value is never 0.
  fileprivate var retired: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(bitPattern: bits).unsafelyUnwrapped
  }
}

/// Traps because an object was to be stored whose `deinit` has begun.
@inline(never)
private func refuseDead() -> Never {
  fatalError("an object whose deinit has begun cannot be stored in a dictionary")
}

/// The word of a retired or released value, which is passed as a pointer.
private enum RetiredValue<Value>: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    ValueCoding<Value>.destroy(ValueWord(bits: UInt(bitPattern: pointer)))
  }
}
