#if os(Linux) && !WeakBoxes
  import Testing

  @testable import WeakReferences

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  private final class Tracked {}
  private final class Large { var bytes = InlineArray<2000, UInt8>(repeating: 1) }

  /// What the runtime says of an object's counts.
  private struct Counts {
    let object: AnyObject

    private var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(object).toOpaque() }

    /// The two highest bits of the second word; the rest is then the table's address.
    var haveSideTable: Bool { (address + 8).load(as: UInt64.self) >> 62 == 3 }

    var unowned: Int {
      typealias Query = @convention(c) (UnsafeMutableRawPointer) -> Int
      return unsafeBitCast(Self.symbol("swift_unownedRetainCount"), to: Query.self)(address)
    }

    func addUnowned(_ count: UInt32) {
      typealias Change = @convention(c) (UnsafeMutableRawPointer, UInt32) -> Void
      unsafeBitCast(Self.symbol("swift_unownedRetain_n"), to: Change.self)(address, count)
    }

    private static func symbol(_ name: String) -> UnsafeMutableRawPointer {
      dlsym(UnsafeMutableRawPointer(bitPattern: 0), name)
    }
  }

  /// Being tracked costs an object nothing.
  struct UnownedCountTests {
    // In a debug build it never is: this is for the builds that optimize.
    @Test func `an object that nothing but a slot refers to is not made on the stack`() {
      func slots() -> [WeakSlot] { (0..<10).map { _ in WeakSlot(Tracked()) } }
      let dead = slots()
      #expect(dead.allSatisfy { withUnsafePointer(to: $0, WeakSlot.promote) == nil })
      let addresses = dead.map { slot in withUnsafeBytes(of: slot) { $0.load(as: UInt.self) } }
      #expect(Set(addresses).count == 10)
    }

    @Test func `a weak slot gives its object no side table, where a weak variable does`() {
      let tracked = Tracked()
      let slots = Array(repeating: WeakSlot(tracked), count: 3)
      for _ in 0..<3 { #expect(withUnsafePointer(to: slots[0], WeakSlot.promote) === tracked) }
      #expect(!Counts(object: tracked).haveSideTable)
      weak let weak = tracked
      #expect(weak != nil && Counts(object: tracked).haveSideTable)
    }

    @Test func `each copy of a slot is one unowned reference`() {
      let tracked = Tracked()
      let before = Counts(object: tracked).unowned
      var slots = Array(repeating: WeakSlot(tracked), count: 10)
      #expect(Counts(object: tracked).unowned == before + 10)
      slots.removeLast(7)
      #expect(Counts(object: tracked).unowned == before + 3)
      slots = []
      #expect(Counts(object: tracked).unowned == before)
    }

    #if !Interleaving
      @Test func `a word is one unowned reference until it is released`() {
        let tracked = Tracked()
        let before = Counts(object: tracked).unowned
        let word = WeakWord(tracked)
        #expect(Counts(object: tracked).unowned == before + 1)
        #expect(word.promote() === tracked)
        word.release()
        #expect(Counts(object: tracked).unowned == before)
        #expect(!Counts(object: tracked).haveSideTable)
      }
    #endif

    @Test func `an object that is never freed is always alive`() {
      let immortal = unsafeBitCast([Int](), to: AnyObject.self)
      for _ in 0..<3 {
        let slots = Array(repeating: WeakSlot(immortal), count: 3)
        #expect(slots.allSatisfy { withUnsafePointer(to: $0, WeakSlot.promote) === immortal })
      }
      #expect(!Counts(object: immortal).haveSideTable)
    }

    @Test func `a large object is not held by its unowned count`() {
      let large = Large()
      let before = Counts(object: large).unowned
      let slot = WeakSlot(large)
      #expect(withUnsafePointer(to: slot, WeakSlot.promote) === large)
      #expect(Counts(object: large).unowned == before)
    }

    @Test func `an unowned count that is full ends the process with one line`() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        let tracked = Tracked()
        Counts(object: tracked).addUnowned(UInt32(Int32.max) - 1)
        _ = WeakSlot(tracked)
      }
      let error = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(error.contains("unowned reference was retained too many times"))
    }
  }
#endif
