import Testing

@testable import WeakReferences

/// The types that a weak reference may have.
private enum Form: CaseIterable {
  case slot, word, boxedWord

  func reference(to object: AnyObject) -> any Reference {
    switch self {
    case .slot: SlotReference(slot: WeakSlot(object))
    case .word: WordReference(word: WeakWord(object))
    case .boxedWord: WordReference(word: WeakWord(boxing: object))
    }
  }
}

private protocol Reference {
  func promote() -> AnyObject?
  func refers(to object: AnyObject) -> Bool
  var isDead: Bool { get }
  func end()
}

private struct SlotReference: Reference {
  let slot: WeakSlot

  func promote() -> AnyObject? { withUnsafePointer(to: slot, WeakSlot.promote) }

  func refers(to object: AnyObject) -> Bool {
    withUnsafePointer(to: slot) { WeakSlot.refers(at: $0, to: ObjectIdentity(of: object)) }
  }

  var isDead: Bool {
    var promoted = PromotedObjects()
    return withUnsafePointer(to: slot) { WeakSlot.isDead(at: $0, promoted: &promoted) }
  }

  func end() {}
}

private struct WordReference: Reference {
  let word: WeakWord

  func promote() -> AnyObject? { word.promote() }
  func refers(to object: AnyObject) -> Bool { word.refers(to: ObjectIdentity(of: object)) }

  var isDead: Bool {
    var promoted = PromotedObjects()
    return word.isDead(promoted: &promoted)
  }

  func end() { word.release() }
}

extension Reference {
  /// Whether all answers say that its object is `object`, which lives.
  func isAlive(as object: AnyObject) -> Bool {
    promote() === object && refers(to: object) && !isDead
  }

  var isGone: Bool { promote() == nil && isDead }
}

private class Small {
  let whenDead: () -> Void
  init(_ whenDead: @escaping () -> Void = {}) { self.whenDead = whenDead }
  deinit { whenDead() }
}

/// Of more bytes than a slot holds.
private final class Large: Small {
  let words = (SIMD64<Int>(), SIMD64<Int>(), SIMD64<Int>(), SIMD64<Int>())
}

struct WeakSlotTests {
  @Test(arguments: Form.allCases, [false, true])
  fileprivate func `an object is promoted while it lives, and dies on time`(
    _ form: Form, isLarge: Bool
  ) {
    var deaths = 0
    var object: Small? = isLarge ? Large { deaths += 1 } : Small { deaths += 1 }
    let reference = form.reference(to: object!)
    let answers = [reference.isAlive(as: object!), reference.refers(to: Small())]
    var promoted = reference.promote()
    object = nil
    let deathsBefore = deaths
    let isAlive = reference.isAlive(as: promoted!)
    promoted = nil
    #expect(answers == [true, false])
    #expect(deathsBefore == 0 && isAlive)
    #expect(deaths == 1 && reference.isGone)
    reference.end()
  }

  @Test(arguments: Form.allCases)
  fileprivate func `an object is gone inside its deinit`(_ form: Form) {
    var isGone = false
    var look = {}
    var object: Small? = Small { look() }
    let reference = form.reference(to: object!)
    look = { isGone = reference.isGone }
    object = nil
    #expect(isGone)
    reference.end()
  }

  @Test(arguments: Form.allCases)
  fileprivate func `an object with a side table is referred to as others are`(_ form: Form) {
    var deaths = 0
    var object: Small? = Small { deaths += 1 }
    weak let weak = object
    let reference = form.reference(to: object!)
    let isAlive = reference.isAlive(as: object!)
    object = nil
    #expect(isAlive)
    #expect(deaths == 1 && reference.isGone)
    #expect(weak == nil)
    reference.end()
  }

  @Test func `copies of a slot are references of their own`() {
    for make in [{ Small($0) }, { Large($0) }] {
      var deaths = 0
      var object: Small? = make { deaths += 1 }
      var slots = Array(repeating: WeakSlot(object!), count: 10)
      let copy = slots
      slots.removeLast(9)
      #expect(copy.allSatisfy { withUnsafePointer(to: $0) { WeakSlot.promote(at: $0) === object } })
      object = nil
      #expect(deaths == 1)
      #expect((slots + copy).allSatisfy { withUnsafePointer(to: $0, WeakSlot.promote) == nil })
    }
  }

  /// An optimizer that put such an object on the stack would have the memory of a dead one
  /// overwritten.
  @Test func `an object that nothing else refers to is not on the stack`() {
    var deaths = 0
    let references = (0..<100).map { _ in Self.referenceToLocal { deaths += 1 } }
    Self.overwriteStack()
    #expect(deaths == 100)
    #expect(references.allSatisfy { withUnsafePointer(to: $0.0, WeakSlot.promote) == nil })
    #expect(references.allSatisfy { $0.1.promote() == nil })
    for reference in references { reference.1.release() }
  }

  private static func referenceToLocal(_ whenDead: @escaping () -> Void) -> (WeakSlot, WeakWord) {
    let local = Small(whenDead)
    return (WeakSlot(local), WeakWord(local))
  }

  @inline(never)
  private static func overwriteStack() {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) {
      _ = $0.initializeMemory(as: UInt8.self, repeating: 0xff)
    }
  }
}
