import EpochReclamation
import Primitives

/// How values of one type are put into words.
///
/// A word owns its value, as a variable does: it is given up by `destroy`, or by `retire` once threads
/// may have seen it.
enum ValueCoding<Value> {
  /// Whether values stand in the word itself: numbers, object references, anything of up to eight bytes
  /// that may be moved as bits.
  static var fitsWord: Bool {
    @inline(__always) get {
      MemoryLayout<Value>.size <= MemoryLayout<UInt>.size
        && MemoryLayout<Value>.alignment <= MemoryLayout<UInt>.alignment
        && _isBitwiseTakable(Value.self)
    }
  }

  /// Whether a cast does, which leaves the value in its register.
  private static var fillsWord: Bool {
    @inline(__always) get { fitsWord && MemoryLayout<Value>.size == MemoryLayout<UInt>.size }
  }

  /// Whether there is nothing to give up.
  static var isTrivial: Bool {
    @inline(__always) get { fitsWord && _isPOD(Value.self) }
  }

  /// Whether a value's bits may be an address: of what is no number.
  private static var mayBePointer: Bool {
    @inline(__always) get {
      !(Value.self == Int.self || Value.self == UInt.self || Value.self == Int64.self
        || Value.self == UInt64.self || Value.self == Double.self
        || MemoryLayout<Value>.size < MemoryLayout<UInt>.size)
    }
  }

  @inline(__always)
  static func encode(_ value: Value) -> ValueWord {
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

  /// A copy of the value that a reader of `word` sees; nil if there is none.
  @inline(__always)
  static func copy(_ word: ValueWord) -> Value? {
    if fitsWord && word.isInline { return copyInline(word) }
    return word == .absent ? nil : copyOther(word.seen)
  }

  private static func copyOther(_ word: ValueWord) -> Value? {
    switch word.kind {
    case .inline where fitsWord: copyInline(word)
    case .boxed: box(word).reading().pointee
    default: nil
    }
  }

  /// Calls `body` with the value that a reader of `word` sees, without a copy; nil if there is none.
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

  /// Through a bitwise copy on the stack, as others borrow from the box too.
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

  /// Moved out and back in rather than read: reading copies, and copying is what borrowing avoids.
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

  /// Gives up a word that nobody else has seen.
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

  /// Gives up a word that is out of its cell, when no reader can see it any more.
  @inline(__always)
  static func retire(_ word: ValueWord, in domain: EpochDomain) {
    if isTrivial && word.isInline { return }
    retireOther(word, in: domain)
  }

  @inline(never)
  private static func retireOther(_ word: ValueWord, in domain: EpochDomain) {
    guard word.isInline || word.kind == .boxed else { return }
    // A word with a value is never 0.
    domain.retire(
      UnsafeMutableRawPointer(bitPattern: word.bits).unsafelyUnwrapped, as: RetiredValue<Value>.self
    )
  }

  @inline(__always)
  private static func copyInline(_ word: ValueWord) -> Value {
    var bits = word.inlineValue(mayBePointer: mayBePointer)
    if fillsWord { return unsafeBitCast(bits, to: Value.self) }
    return withUnsafeMutablePointer(to: &bits) {
      UnsafeRawPointer($0).assumingMemoryBound(to: Value.self).pointee
    }
  }

  private static func box(_ word: ValueWord) -> UnsafeMutablePointer<Value> {
    word.pointer.assumingMemoryBound(to: Value.self)
  }
}

/// A value's word in limbo, as if it were a pointer.
private enum RetiredValue<Value>: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    ValueCoding<Value>.destroy(ValueWord(bits: UInt(bitPattern: pointer)))
  }
}
