import Primitives

/// What a cell says of its key, in one word.
///
/// Words below 2^48 have a kind in the low three bits and, for some kinds, a pointer above them; memory of
/// zeros says `untouched`. A value that fits a word stands for itself:
///
///  - what may be a pointer, and has zeros in its low three bits, with the kind `inline`. So a pointer to
///    memory that something owns points into that memory: tools that look for leaks find it.
///  - everything else exclusive-or `escape`; if that comes out below 2^48, the value is boxed.
struct ValueWord: Equatable {
  let bits: UInt

  enum Kind: UInt {
    /// The key never had a value in this table; never comes back.
    case untouched
    /// Removed; may get a value again.
    case absent
    /// Removed for good: a key in a node, which is let go.
    case removed
    /// What stood here is in the next table.
    case moved
    /// A pointer to the value.
    case boxed
    /// A pointer to a `Claim`.
    case claimed
    /// A pointer to the word that stood here and may not be changed here any more.
    case frozen
    /// A value that may be a pointer, or any value at or above 2^48.
    case inline
  }

  static let untouched = ValueWord(bits: Kind.untouched.rawValue)
  static let absent = ValueWord(bits: Kind.absent.rawValue)
  static let removed = ValueWord(bits: Kind.removed.rawValue)
  static let moved = ValueWord(bits: Kind.moved.rawValue)

  /// Numbers have mostly zeros or mostly ones in the upper bits.
  static var escape: UInt { 0x8001 << 48 }

  @inline(__always)
  init(bits: UInt) {
    self.bits = bits
  }

  init(_ kind: Kind, _ pointer: UnsafeMutableRawPointer) {
    let address = UInt(bitPattern: pointer)
    precondition(address >> 48 == 0 && address & 7 == 0, "a pointer has 48 bits and is aligned")
    bits = address | kind.rawValue
  }

  private var isEscaped: Bool {
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

  /// The word of a value that is these bits, if one word is enough.
  @inline(__always)
  init?(inline value: UInt, mayBePointer: Bool) {
    if mayBePointer && value >> 48 == 0 && value & 7 == 0 {
      bits = value | Kind.inline.rawValue
    } else {
      bits = value ^ Self.escape
      if !isEscaped { return nil }
    }
  }

  /// Of an inline word: the bits of its value.
  @inline(__always)
  func inlineValue(mayBePointer: Bool) -> UInt {
    mayBePointer && !isEscaped ? bits & ~7 : bits ^ Self.escape
  }

  /// Whether there is a value, or a claim.
  var isOccupied: Bool {
    @inline(__always) get { isInline || isBoxed || isClaimed }
  }

  var pointer: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(bitPattern: bits & ~7).unsafelyUnwrapped
  }

  /// What a reader sees: through a freeze, and what was there before a claim.
  var seen: ValueWord {
    switch kind {
    case .frozen: kept.seen
    case .claimed: Claim.at(self).reading().pointee.prior
    default: self
    }
  }

  /// Of a frozen word: the one that stood there.
  var kept: ValueWord {
    pointer.assumingMemoryBound(to: ValueWord.self).reading().pointee
  }
}

/// What stands in a cell while an `update` of its key runs.
struct Claim {
  /// The word before, which the claim owns; `absent` if there was no value.
  var prior: ValueWord

  static func make() -> UnsafeMutablePointer<Claim> {
    let claim = NodeMemory.allocate(Claim.self)
    claim.writing().initialize(to: Claim(prior: .absent))
    return claim
  }

  static func at(_ word: ValueWord) -> UnsafeMutablePointer<Claim> {
    word.pointer.assumingMemoryBound(to: Claim.self)
  }
}
