import Testing

@testable import LeakTesting

@Suite struct ReflectionTests {
  @Test func `4.2 what is no optional is some value, and nil is none`() {
    let nothing: Int? = nil
    #expect(isSomeValue(1) && isSomeValue("") && isSomeValue([Int]()) && isSomeValue(Screen()))
    #expect(isSomeValue(Optional(1) as Any))
    #expect(!isSomeValue(nothing as Any))
    #expect(isSomeValue(Optional.some(nothing) as Any))
  }

  @Test func `4.4 optionals of optionals are unwrapped`() {
    let deep: Int??? = 1
    let deepNothing: Int??? = .some(.some(nil))
    #expect(unwrapped(deep as Any) as? Int == 1)
    #expect(unwrapped(deepNothing as Any) == nil)
    #expect(unwrapped("text") as? String == "text")
  }

  @Test func `4.4 objects are found in values, and only there`() {
    let screen = Screen()
    #expect(HeldObjects(in: screen).objects.first === screen)
    #expect(HeldObjects(in: Screen???.some(screen) as Any).objects.count == 1)
    #expect(HeldObjects(in: [[1: Set([ObjectIdentifier(screen)])]]).objects.isEmpty)
    #expect(HeldObjects(in: [1: (screen, [screen])]).objects.count == 2)
    #expect(HeldObjects(in: Result<Screen, any Error>.success(screen)).objects.count == 1)
    #expect(HeldObjects(in: ["text", "more"]).objects.isEmpty)
    #expect(HeldObjects(in: (1, 2.0, "text", 3...4)).objects.isEmpty)
    #expect(HeldObjects(in: Holder(kept: screen)).objects.isEmpty == false)
  }

  @Test func `4.4 weak, unowned and unmanaged references hold nothing`() {
    let screen = Screen()
    #expect(
      HeldObjects(in: Loose(seen: screen, owner: screen, bits: .passUnretained(screen))).objects
        .isEmpty)
  }

  @Test func `an unowned reference whose object is gone is not read`() {
    let loose = Loose(seen: nil, owner: [Screen()][0], bits: nil)
    #expect(HeldObjects(in: loose).objects.isEmpty)
  }

  @Test func `closures are told of, not looked into`() {
    let screen = Screen()
    let held = HeldObjects(in: ["a": { _ = screen } as () -> Void])
    #expect(held.objects.isEmpty && held.hasClosure)
    #expect(!HeldObjects(in: [screen]).hasClosure)
  }
}

private struct Holder { var kept: Screen }

private struct Loose {
  weak var seen: Screen?
  unowned var owner: Screen
  var bits: Unmanaged<Screen>?
}
